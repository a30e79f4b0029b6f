import { namePlatforms } from "../../domain/plain/platforms.ts"
import type { Post, PostTarget } from "../../domain/posts/post.ts"
import { isSomewhereOut } from "../api/postStatus.ts"
import { amountOf, cursorOf, describeHalfSent, isHalfSent, nameTarget } from "./threadState.ts"

type PostJson = typeof Post.Encoded
type TargetJson = typeof PostTarget.Encoded

/** What is out of a post that is not, such as one that waits for its time again. */
export interface OutMark {
  /** Such as `2 of 5 out`. */
  readonly words: string
  /** Such as `2/5`; undefined where that is not the same on each of its platforms. */
  readonly short: string | undefined
  /** A sentence with the platforms. */
  readonly full: string
}

/** What is out of a post, where there is space for a word alone; undefined where nothing is, or its status says it. */
export const outMarkOf = (post: Pick<PostJson, "post_targets" | "status">): OutMark | undefined => {
  const { post_targets: targets, status } = post
  if (status === "published" || status === "publishing" || !isSomewhereOut(post)) return undefined
  const published = targets.filter((target) => target.status === "published")
  const full = describeHalfSent(post) ?? describePublished(published)
  const [amount, ...others] = new Set(targets.map(amountOf))
  return amount !== undefined && others.length === 0
    ? { words: `${amount} out`, short: amount.replace(" of ", "/"), full }
    : { words: "Out in part", short: undefined, full }
}

/** Names the platforms that a partly published post is on. */
export const describePublished = (published: ReadonlyArray<TargetJson>): string =>
  `Is out on ${namePlatforms(published.map(({ integrations }) => integrations.platform))}`

/** How much of a post is out on a platform, for people who delete the post; undefined where nothing is known to be. */
const describeStaying = (target: TargetJson): string | undefined => {
  const cursor = cursorOf(target)
  if (target.status !== "published") {
    return isHalfSent(target) ? `${amountOf(target)} parts on ${nameTarget(target)}` : undefined
  }
  const name = nameTarget(target)
  return cursor === undefined ? `the post on ${name}` : `all ${cursor.parts} parts on ${name}`
}

/** What a post that is deleted leaves on its platforms, whatever its status; undefined where nothing is known to be out. */
export const describeWhatStays = ({ post_targets }: Pick<PostJson, "post_targets">): string | undefined => {
  const out = post_targets.flatMap((target) => describeStaying(target) ?? [])
  return out.length === 0 ? undefined : `What is out stays there: ${out.join(", ")}.`
}
