import { Effect } from "effect"
import { lastingUrl } from "../../../src/domain/publishing/postUrl.ts"
import { liveFacts } from "../../../src/platforms/facts.ts"
import type { StandInPost } from "./standInProcess.ts"
import { isDropped } from "./storedTargets.ts"
import type { StoredThread } from "./storedThreads.ts"
import { accountKey, nameInReplies, repliesTo } from "./threadChains.ts"
import { type RequestedThread, sendSurely } from "./threadLoad.ts"
import type { World } from "./world.ts"

/**
 * The post that a part with an unknown outcome may be: the reply to the part before it, or for a first part, a post
 * with its text that belongs to no other target.
 */
const findUnknown = (
  target: StoredThread,
  text: string,
  posts: ReadonlyArray<StandInPost>,
  owned: ReadonlySet<string>
): StandInPost | undefined => {
  const own = posts.filter((post) => accountKey(post) === accountKey(target))
  const last = target.out.at(-1)
  return last === undefined
    ? own.find((post) => post.reply === null && post.text === text && !owned.has(nameInReplies(post)))
    : repliesTo(own, last)[0]
}

/**
 * True if X refuses a part for good because another post of the account has its text, and no post can be the part
 * itself. After an unknown outcome such a refusal proves nothing about the part, so the outcome stays unknown.
 */
export const isDuplicateOnX = (
  target: StoredThread,
  text: string,
  posts: ReadonlyArray<StandInPost>,
  owned: ReadonlySet<string>
): boolean =>
  target.platform === "twitter" &&
  (target.code === "rejected" || target.code === "outcome_unknown") &&
  findUnknown(target, text, posts, owned) === undefined &&
  posts.some((post) => accountKey(post) === accountKey(target) && post.text === text && !target.out.includes(post.id))

const urlOf = ({ accountId, id, platform }: StandInPost) => {
  const { site } = liveFacts[platform]
  return lastingUrl(platform, { url: "", key: id, site }, accountId)
}

export interface Resolved {
  /** The number of decisions by platform and reason. */
  readonly counts: Map<string, number>
  /** The messages of unknown parts that a timeline showed. */
  readonly out: Array<string>
  /**
   * Requests that the service refused, except because the target was already resolved: an earlier response may have
   * been lost.
   */
  readonly refused: Array<string>
}

/**
 * Resolves a failed thread as a person would. If the timeline shows the unknown part, resolves it as published;
 * otherwise resolves it as not published and publishes the rest again. Adds the results to `resolved`.
 */
export const resolveAsPerson = Effect.fn("resolveAsPerson")(function* (
  world: World,
  request: RequestedThread,
  target: StoredThread,
  {
    owned,
    posts,
    resolved
  }: { readonly posts: ReadonlyArray<StandInPost>; readonly owned: Set<string>; readonly resolved: Resolved }
) {
  const { id, key } = request
  const publish = Effect.asVoid(sendSurely(world, `/v1/posts/${id}/publish`, key, undefined))
  const count = (decision: string) => {
    const name = `${target.platform} ${decision}`
    resolved.counts.set(name, (resolved.counts.get(name) ?? 0) + 1)
  }
  if (target.code !== "outcome_unknown") {
    count(`published again (${isDropped(target) ? "dropped" : target.code})`)
    return yield* publish
  }
  const text = request.chains[target.platform][target.part - 1]?.text ?? ""
  const found = findUnknown(target, text, posts, owned)
  const path = `/v1/posts/${id}/targets/${target.platform}/resolve`
  if (found === undefined) {
    count("unknown, not out")
    yield* sendSurely(world, path, key, { outcome: "not_published" })
    return yield* publish
  }
  count("unknown, out")
  resolved.out.push(`${target.platform}: “${text}”: ${target.message}`)
  owned.add(nameInReplies(found))
  // In half of these cases the person continues the thread later.
  const continues = resolved.out.length % 2 === 0
  const url = urlOf(found)
  const response = yield* sendSurely(world, path, key, {
    outcome: "published",
    url,
    ...(continues ? { continue: true } : {})
  })
  if (response.status !== 200 && !response.text.includes("invalid_state"))
    resolved.refused.push(`refused: ${url} got ${response.status}: ${response.text}`)
})
