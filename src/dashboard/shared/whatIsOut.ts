import { namePlatforms } from "../../domain/plain/platforms.ts"
import { isSomewhereOut, type PostJson, type PostTargetJson } from "../api/postStatus.ts"
import { amountOf, cursorOf, describeHalfSent, isHalfSent, nameTarget } from "./threadState.ts"

/** Marks a partly published post, such as one that was scheduled again. */
export interface OutMark {
  /** Such as `2 of 5 out`. */
  readonly words: string
  /** Such as `2/5`; undefined if the platforms differ. */
  readonly short: string | undefined
  readonly full: string
}

/** The published amount in a few words. Undefined if there is none, or if the status already says it. */
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

export const describePublished = (published: ReadonlyArray<PostTargetJson>): string =>
  `Is out on ${namePlatforms(published.map(({ integrations }) => integrations.platform))}`

const describeStaying = (target: PostTargetJson): string | undefined => {
  const cursor = cursorOf(target)
  if (target.status !== "published") {
    return isHalfSent(target) ? `${amountOf(target)} parts on ${nameTarget(target)}` : undefined
  }
  const name = nameTarget(target)
  return cursor === undefined ? `the post on ${name}` : `all ${cursor.parts} parts on ${name}`
}

/** Undefined if nothing is known to be published, whatever the post's status. */
export const describeWhatStays = ({ post_targets }: Pick<PostJson, "post_targets">): string | undefined => {
  const out = post_targets.flatMap((target) => describeStaying(target) ?? [])
  return out.length === 0 ? undefined : `What is out stays there: ${out.join(", ")}.`
}
