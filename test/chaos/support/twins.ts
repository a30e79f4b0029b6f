import type { StandInPost } from "./standInProcess.ts"
import { isDropped, type StoredTarget } from "./storedTargets.ts"

const targetKey = (platform: string, text: string) => `${platform}: ${text}`

const outcomeOf = ({ code, platform, status }: StoredTarget) => `${platform} ${code ?? status}`

/**
 * Compares posts that share their text with the timelines. X, LinkedIn and Facebook refuse the second copy of a text, so one of the
 * two posts is rejected there. Each published post must have its own post on the timeline.
 */
export const judgeTwins = (stored: ReadonlyArray<StoredTarget>, posts: ReadonlyArray<StandInPost>) => {
  const shownByKey = Map.groupBy(posts, ({ platform, text }) => targetKey(platform, text))
  const lost: Array<string> = []
  const doubled: Array<string> = []
  for (const [key, targets] of Map.groupBy(stored, ({ content, platform }) => targetKey(platform, content))) {
    const shown = shownByKey.get(key)?.length ?? 0
    const published = targets.filter(({ status }) => status === "published")
    const unknown = targets.filter(({ code }) => code === "outcome_unknown").length
    const open = targets.filter(({ status }) => status === "pending" || status === "publishing")
    if (targets.length !== 2) lost.push(`${key}: ${targets.length} of 2 are stored`)
    if (open.length > 0) lost.push(`${key}: ${open.length} have not ended`)
    if (shown > targets.length) doubled.push(`${key}: on the timeline ${shown} times`)
    const urls = published.flatMap(({ url }) => url ?? [])
    if (new Set(urls).size < urls.length) doubled.push(`${key}: two name one post`)
    if (published.length > shown) lost.push(`${key}: ${published.length} published, ${shown} on the timeline`)
    if (shown > published.length + unknown) lost.push(`${key}: ${shown} on the timeline, ${published.length} published`)
    const isExplained = (target: StoredTarget) =>
      target.code === "outcome_unknown" ||
      isDropped(target) ||
      (target.code === "rejected" && ["twitter", "linkedin", "facebook"].includes(target.platform) && shown > 0)
    const unexplained = targets.filter((target) => target.status === "failed" && !isExplained(target))
    lost.push(...unexplained.map((target) => `${key}: ${target.code} (${target.message})`))
  }
  const outcomes = new Map([...Map.groupBy(stored, outcomeOf)].map(([outcome, all]) => [outcome, all.length]))
  return { lost, doubled, outcomes }
}
