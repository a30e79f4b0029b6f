import type { Issue } from "../errors.ts"
import type { PostId } from "../ids.ts"
import type { MediaFacts } from "../media/media.ts"
import type { MediaRules } from "../media/mediaRules.ts"
import type { LivePlatform } from "../platform.ts"
import type { PlatformSettings } from "./platformSettings.ts"
import type { Entity } from "./text/entities.ts"

export interface TextMeasure {
  /** In the platform's own unit, as is `limit`. */
  readonly length: number
  readonly limit: number
  readonly valid: boolean
  /** Absent if it is the platform's usual one. */
  readonly unit?: string
}

export interface ThreadText {
  /** From 1; undefined without a thread. */
  readonly part: number | undefined
  readonly path: Issue["path"]
  readonly text: string
}

export interface CostEstimate {
  readonly usd: number
  readonly note: string
}

export interface NamedFor {
  readonly id: PostId
  /** The platform's id of the parent. Null if the post is not a reply. */
  readonly parentId: string | null
}

/** The reason follows the platform's name. It is about a file, about a setting of the platform, or about all files. */
export interface PostRefusal {
  readonly index?: number
  readonly setting?: string
  readonly reason: string
}

/** A post of which only this is known, once its send is given up. */
export interface KnownPost {
  readonly accountId: string
  readonly text: string
  readonly settings: PlatformSettings
}

export interface PlatformRules {
  readonly measure: (text: string) => TextMeasure
  /** False if measuring the text may take milliseconds. */
  readonly isMeasured?: (text: string) => boolean
  /**
   * The reason to refuse a text regardless of its length. It completes a sentence that begins with the platform's name:
   * `takes one cashtag`.
   */
  readonly refuseText?: (text: string) => string | undefined
  /**
   * The reasons to refuse a post by its files and settings together. A file that is still being read is null. Absent if
   * each file is judged alone.
   */
  readonly refusePost?: (
    files: ReadonlyArray<MediaFacts | null>,
    settings: PlatformSettings
  ) => ReadonlyArray<PostRefusal>
  /**
   * The text by which the platform recognizes a repetition of the account's earlier posts, which it refuses. Absent if
   * the platform accepts repetitions.
   */
  readonly comparedText?: (text: string) => string
  readonly refuseThread?: (texts: ReadonlyArray<ThreadText>) => ReadonlyArray<Issue>
  /** Own names that a split must not cut, beside the links, mentions and tags that are looked for everywhere. */
  readonly moreEntities?: {
    readonly find: (text: string) => ReadonlyArray<Entity>
    /**
     * True if searching the whole of a long word takes too long. Then only the text near a possible cut is searched.
     */
    readonly isSlow: boolean
  }
  /** The link that the platform shows as a card under a text without files. */
  readonly cardLink?: (text: string) => string | undefined
  /** The link to something on the platform that a post can quote, also beside files. */
  readonly quoteLink?: (text: string) => string | undefined
  /** The links that readers will not have, each with a step that helps. It follows the platform's name. */
  readonly explainUnlinked?: (text: string) => ReadonlyArray<string>
  readonly media: MediaRules
  readonly estimateCost?: (texts: ReadonlyArray<string>) => CostEstimate
  /** The platform's id of a post whose URL has this key. */
  readonly postId: (accountId: string, key: string) => string
  /** True if an account's name in a URL is its permanent id on the platform. */
  readonly isAccountId?: (name: string) => boolean
  /**
   * False if the platform can't be asked for a post of which nothing but this is known. If a person says that such a
   * post is not there, no look can contradict. Absent if every post can be looked for.
   */
  readonly canBeFound?: (post: KnownPost) => boolean
  /** The reason why a post with this key certainly is not the target's. */
  readonly refuseNamed?: (key: string, named: NamedFor) => string | undefined
  /** The ids of the targets whose post can have this key: `from` inclusive, `before` exclusive. */
  readonly targetIds?: (key: string) => readonly [from: string, before: string] | undefined
}

/** A platform without rules is in platform review. */
export type Rules = Readonly<Partial<Record<LivePlatform, PlatformRules>>>
