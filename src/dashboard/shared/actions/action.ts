import type { Scope } from "../../../domain/people/apiKey.ts"
import type { Post } from "../../../domain/posts/post.ts"
import type { Failure, Outcome } from "../../api/errors.ts"

type PostJson = typeof Post.Encoded

/** Something that a person does with a post. */
export interface Action {
  readonly label: string
  /** The label for one post, if its status decides. */
  readonly labelOf?: (post: PostJson) => string
  readonly icon?: "calendar" | "check" | "clock" | "copy" | "pencil" | "trash"
  /** The scope that a person's role needs. */
  readonly scope: Scope
  /** True if it is offered for a post. */
  readonly fits: (post: PostJson, now: Date) => boolean
}

/** The question before something is done. */
export interface Question {
  readonly title: string
  readonly text: string
  /** The words on the button that does it. */
  readonly action: string
  readonly danger?: boolean
}

/** When an approved post goes out: at its own time, at another one, or now. */
export type ApprovalOrder = { readonly scheduled_at?: string } | { readonly publish_now: true }

/** The single request that a choice is for one post. */
export type PostRequest =
  | { readonly kind: "delete" }
  | { readonly kind: "publish" }
  | { readonly kind: "approve"; readonly order: ApprovalOrder }
  | { readonly kind: "reject"; readonly reason: string }
  | {
      readonly kind: "change"
      readonly body:
        | { readonly scheduled_at: string | null }
        | { readonly tags: ReadonlyArray<string> }
        | { readonly status: "draft" | "scheduled" }
    }

export interface Job {
  readonly post: PostJson
  readonly request: PostRequest
}

/** The outcome of a job. `current` is the post as it is now, if it is not as the person knows it. */
export type SendOutcome = Outcome<PostJson | undefined> & { readonly current?: PostJson | undefined }

/** Why a job was refused. */
export interface Refusal {
  readonly error: Failure
  readonly current?: PostJson | undefined
}

/** A post before and after a change. `after` is undefined for a deleted post. */
export interface Done {
  readonly before: PostJson
  readonly after: PostJson | undefined
}

/** An action with everything that a person has chosen for it. */
export interface Choice {
  /** The request for a post, or the reason why there is none. */
  readonly request: (post: PostJson, now: Date) => PostRequest | string
  /** The words for success, such as "Deleted 3 posts". `one` is the post if it was changed alone. */
  readonly done?: (posts: string, one?: Done) => string
}

/** A post that a person has selected. */
export interface Known {
  /** The post as it was when it was selected, or when it was last changed or loaded for the selection. */
  readonly post: PostJson
  /** The revision that the person has seen. */
  readonly seen: number
}

/** A choice that can be made for many posts together. */
export interface ManyChoice extends Choice {
  /** Why a post is left out, although it could be tried alone. */
  readonly skip?: (known: Known, now: Date) => string | undefined
  readonly doing: (posts: string) => string
  readonly done: (posts: string, one?: Done) => string
  /** The choice that reverts it. */
  readonly undo?: (done: ReadonlyArray<Done>) => ManyChoice
}

/** An action that asks one question before it changes many posts. */
export interface AskedAction extends Action, ManyChoice {
  readonly labelMany?: (count: number) => string
  readonly askMany: (posts: string) => Question
}

export const nameCount = (count: number): string => (count === 1 ? "1 post" : `${count} posts`)

/** The reason for a post that already is as it should be. */
export const alreadyThere = "Nothing to change."

/** Why a post can't be changed; undefined for one that can. */
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

/** Limits a change to posts that can still be changed. */
export const ifOpen =
  (request: Choice["request"]): Choice["request"] =>
  (post, now) =>
    describeClosed(post) ?? request(post, now)
