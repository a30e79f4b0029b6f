import { type TrackedPost, finalIntent, isAllowed } from "./intents.ts"
import type { RequestedPost } from "./load.ts"
import type { Report, StandInPost } from "./standInProcess.ts"
import type { StoredTarget } from "./storedTargets.ts"
import { judge, type Verdict } from "./verdict.ts"

const numberOf = (text: string) => Number(/^Post (\d+) /.exec(text)?.[1])

/**
 * The texts of each post, from all requests that may have taken effect. `acknowledged` marks the text that the last
 * acknowledged request demands.
 */
const requestsOf = (posts: ReadonlyArray<TrackedPost>): ReadonlyArray<RequestedPost> =>
  posts.flatMap((post) => {
    const final = finalIntent(post)
    const texts = new Set(post.intents.flatMap(({ text }) => text ?? []))
    return [...texts].map((content) => ({
      content,
      due: Math.min(
        ...post.intents.flatMap(({ due, text }) => (text === content && due !== null ? [due] : [])),
        Number.MAX_SAFE_INTEGER
      ),
      acknowledged: final?.text === content,
      files: post.files
    }))
  })

/** Posts on a timeline that no request allows: at that time, with that text, or a second time. */
const unrequested = (posts: ReadonlyArray<TrackedPost>, { posts: published, sends }: Report): ReadonlyArray<string> => {
  const byNumber = new Map(posts.map((post) => [post.number, post]))
  const describe = ({ platform, text }: Pick<StandInPost, "platform" | "text">) => `${platform}: ${text}`
  const targetOf = ({ platform, text }: Pick<StandInPost, "platform" | "text">) => `${platform}: ${numberOf(text)}`
  const again = [...Map.groupBy(published, targetOf).values()].filter((copies) => copies.length > 1)
  const executed = sends.filter(({ fault, platform }) => platform === "twitter" && !/429|before/.test(fault))
  const sentAgain = [...Map.groupBy(executed, targetOf).values()].filter((copies) => copies.length > 1)
  return [
    ...published
      .filter(
        (post) =>
          !isAllowed(byNumber.get(numberOf(post.text)) ?? { number: 0, files: 0, intents: [] }, post.text, post.at)
      )
      .map((post) => {
        const intents = byNumber.get(numberOf(post.text))?.intents ?? []
        return `not requested: ${describe(post)} at ${post.at}: ${JSON.stringify(intents)}`
      }),
    ...again.map((copies) => `doubled: ${copies.map(describe).join(", ")}`),
    ...sentAgain.map((copies) => `sent again: ${copies.map(describe).join(", ")}`)
  ]
}

/** Stored targets that contradict the last request: a deleted post is stored, or a draft is not pending. */
const wronglyStored = (
  posts: ReadonlyArray<TrackedPost>,
  stored: ReadonlyArray<StoredTarget>
): ReadonlyArray<string> => {
  const byNumber = Map.groupBy(stored, ({ content }) => numberOf(content))
  return posts.flatMap((post) => {
    const final = finalIntent(post)
    const targets = byNumber.get(post.number) ?? []
    if (final === undefined) return []
    if (final.text === null) return targets.map(({ content }) => `stored, though deleted: ${content}`)
    if (final.due !== null) return []
    return targets
      .filter(({ status }) => status !== "pending")
      .map(({ content, status }) => `a draft is ${status}: ${content}`)
  })
}

/** Compares the requests of the clients with the database and the timelines. */
export const judgeUpgrade = (
  posts: ReadonlyArray<TrackedPost>,
  stored: ReadonlyArray<StoredTarget>,
  report: Report
): { readonly verdict: Verdict; readonly failures: ReadonlyArray<string> } => {
  const drafts = new Set(posts.filter((post) => finalIntent(post)?.due === null).map(({ number }) => number))
  const open = stored.filter(({ content, status }) => !(status === "pending" && drafts.has(numberOf(content))))
  const requested = requestsOf(posts).map((post) =>
    drafts.has(numberOf(post.content)) ? { ...post, acknowledged: false } : post
  )
  return {
    verdict: judge(requested, open, report),
    failures: [...unrequested(posts, report), ...wronglyStored(posts, stored)]
  }
}
