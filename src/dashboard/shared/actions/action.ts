import type { Scope } from "../../../domain/people/apiKey.ts"
import type { PostJson } from "../../api/postStatus.ts"
import type { Failure, Outcome } from "../../api/errors.ts"

export interface Action {
  readonly label: string
  readonly labelOf?: (post: PostJson) => string
  readonly icon?: "calendar" | "check" | "clock" | "copy" | "pencil" | "trash"
  /** The scope that the person's role has to include. */
  readonly scope: Scope
  readonly fits: (post: PostJson, now: Date) => boolean
}

export interface Question {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly danger?: boolean
}

/** The time of an approved post: its own, another, or now. */
export type ApprovalOrder = { readonly scheduled_at?: string } | { readonly publish_now: true }

export type PostRequest =
  | { readonly kind: "delete" }
  | { readonly kind: "publish" }
  | { readonly kind: "approve"; readonly order: ApprovalOrder }
  | { readonly kind: "reject"; readonly reason: string }
  | {
      readonly kind: "change"
      readonly body:
        | { readonly scheduled_at: string | null; readonly status?: "draft" | "scheduled" }
        | { readonly tags: ReadonlyArray<string> }
        | { readonly status: "draft" | "scheduled" }
    }

export interface Job {
  readonly post: PostJson
  readonly request: PostRequest
}

/** After a conflict, `current` is the newer version of the post. */
export type SendOutcome = Outcome<PostJson | undefined> & Pick<Refusal, "by" | "current">

export const afterConflict = (conflict: SendOutcome, found: Outcome<PostJson>): SendOutcome =>
  found.ok ? { ...conflict, current: found.data } : found

export interface Refusal {
  readonly error: Failure
  readonly current?: PostJson | undefined
  /** The name of the person or key that changed the post. */
  readonly by?: string | undefined
}

/** `after` is undefined if the post was deleted. */
export interface Done {
  readonly before: PostJson
  readonly after: PostJson | undefined
}

export interface Choice {
  /** Returns a request, or the reason why there is none. */
  readonly request: (post: PostJson, now: Date) => PostRequest | string
  /** Such as "Deleted 3 posts". `one` is set for a single post. */
  readonly done?: (posts: string, one?: Done) => string
}

export interface Known {
  /** The post as it was selected, last changed or last loaded. */
  readonly post: PostJson
  /** The revision that the person has read. */
  readonly seen: number
}

export interface ManyChoice extends Choice {
  /** Returns why a bulk action leaves out this post. An action on a single post is tried anyway. */
  readonly skip?: (known: Known, now: Date) => string | undefined
  readonly doing: (posts: string) => string
  readonly done: (posts: string, one?: Done) => string
  readonly undo?: (done: ReadonlyArray<Done>) => ManyChoice
}

export interface AskedAction extends Action, ManyChoice {
  readonly labelMany?: (count: number) => string
  readonly askMany: (posts: string) => Question
}

export const nameCount = (count: number): string => (count === 1 ? "1 post" : `${count} posts`)

export const alreadyThere = "Nothing to change."

/** Says why a post can't be changed; undefined if it can. */
export const describeClosed = ({ status }: PostJson): string | undefined => {
  switch (status) {
    case "published":
      return "Published posts stay as they are."
    case "publishing":
      return "Posts that are going out now can’t be changed."
    case "failed":
      return "Failed posts can’t be changed. Open one to publish it again."
    default:
      return undefined
  }
}

export const ifOpen =
  (request: Choice["request"]): Choice["request"] =>
  (post, now) =>
    describeClosed(post) ?? request(post, now)
