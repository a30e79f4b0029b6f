import type { Issue } from "../errors.ts"
import type { PostId } from "../ids.ts"
import type { MediaRules } from "../media/mediaRules.ts"
import type { LivePlatform } from "../platform.ts"
import type { Entity } from "./text/entities.ts"

/** The length of a text on its platform, and if the platform accepts it. */
export interface TextMeasure {
  /** The length in the unit of `limit`, which is the platform's own. */
  readonly length: number
  readonly limit: number
  readonly valid: boolean
}

/** The text of a post in a thread. */
export interface ThreadText {
  /** The number of the post among those that the platform gets, from 1; undefined without a thread. */
  readonly part: number | undefined
  /** The place of the text in the request. */
  readonly path: Issue["path"]
  readonly text: string
}

/** The likely price of some posts. */
export interface CostEstimate {
  readonly usd: number
  readonly note: string
}

/** The post here that a person names a post on the platform for. */
export interface NamedFor {
  readonly id: PostId
  /** The platform's id of the post that it replies to; null if it replies to none. */
  readonly parentId: string | null
}

/** The rules of a platform for what posts say and carry. Optional members are rules that not every platform has. */
export interface PlatformRules {
  /** Measures a text as the platform does. */
  readonly measure: (text: string) => TextMeasure
  /** Says why the platform refuses a text, whatever its length: words that follow its name, such as `takes one cashtag`. */
  readonly refuseText?: (text: string) => string | undefined
  /** Finds what the platform refuses about the texts of a thread together. */
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
  /** Tells if the name of an account in a URL is the platform's own id of it, which never changes. */
  readonly isAccountId?: (name: string) => boolean
  /** Says why the post with a key certainly is not the one here. */
  readonly refuseNamed?: (key: string, named: NamedFor) => string | undefined
  /** The ids that the target of a post may have by its key: the first one, and the first one behind the last. */
  readonly targetIds?: (key: string) => readonly [from: string, before: string] | undefined
}

/** The rules of the platforms that are enabled in this service. A platform without rules here is in platform review. */
export type Rules = Readonly<Partial<Record<LivePlatform, PlatformRules>>>
