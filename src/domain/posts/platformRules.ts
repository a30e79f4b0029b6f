import type { Issue } from "../errors.ts"
import type { PostId } from "../ids.ts"
import type { MediaRules } from "../media/mediaRules.ts"
import type { LivePlatform } from "../platform.ts"
import type { Entity } from "./text/entities.ts"

/** The length of a text on its platform, and if the platform accepts it. */
export interface TextMeasure {
  /** In the platform's own unit, as is `limit`. */
  readonly length: number
  readonly limit: number
  readonly valid: boolean
}

export interface ThreadText {
  /** The number of the post on the platform, from 1; undefined without a thread. */
  readonly part: number | undefined
  /** The place of the text in the request. */
  readonly path: Issue["path"]
  readonly text: string
}

export interface CostEstimate {
  readonly usd: number
  readonly note: string
}

/** The post here for which a person names a post on the platform. */
export interface NamedFor {
  readonly id: PostId
  /** The platform's id of the post that it replies to; null if it is no reply. */
  readonly parentId: string | null
}

/** A platform's rules for texts and media. Optional members are rules that not every platform has. */
export interface PlatformRules {
  readonly measure: (text: string) => TextMeasure
  /**
   * The reason why the platform refuses a text regardless of length. It follows the platform's name: `takes one
   * cashtag`.
   */
  readonly refuseText?: (text: string) => string | undefined
  /** Finds what the platform refuses about a thread's texts together. */
  readonly refuseThread?: (texts: ReadonlyArray<ThreadText>) => ReadonlyArray<Issue>
  readonly entities: {
    /** Finds the links, mentions and tags in a text. */
    readonly find: (text: string) => ReadonlyArray<Entity>
    /** True if searching a long word takes too long. Then only the text near a place is searched. */
    readonly isSlow: boolean
  }
  /** The link that the platform shows as a card under a text without files. */
  readonly cardLink?: (text: string) => string | undefined
  readonly media: MediaRules
  /** Estimates what the platform charges for posts with these texts. */
  readonly estimateCost?: (texts: ReadonlyArray<string>) => CostEstimate
  /** The platform's id of a post whose URL has this key. */
  readonly postId: (accountId: string, key: string) => string
  /** True if an account's name in a URL is the platform's own id of it, which never changes. */
  readonly isAccountId?: (name: string) => boolean
  /** The reason why the post with a key certainly is not the one here. */
  readonly refuseNamed?: (key: string, named: NamedFor) => string | undefined
  /** The range of ids that a target's post may have by its key: `from` inclusive, `before` exclusive. */
  readonly targetIds?: (key: string) => readonly [from: string, before: string] | undefined
}

/** The rules of the platforms that this service has enabled. A platform without rules is in platform review. */
export type Rules = Readonly<Partial<Record<LivePlatform, PlatformRules>>>
