import type { Report } from "./standInProcess.ts"
import type { StoredThread } from "./storedThreads.ts"
import { accountKey, nameInReplies, threadsOn } from "./threadChains.ts"
import type { RequestedThread } from "./threadLoad.ts"
import { isDuplicateOnX } from "./threadPerson.ts"

/** The number of targets by result. */
export interface ThreadVerdict {
  readonly parts: number
  readonly targets: number
  readonly published: number
  /** The number of targets that X refused because the account already has the text. */
  readonly duplicates: number
  readonly failures: ReadonlyArray<string>
}

/** Texts that X got again after it had shown them. With equal texts, the second send may be another thread's. */
const sentAgain = ({ posts, sends }: Report, requested: ReadonlyArray<RequestedThread>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { text } of requested.flatMap(({ chains }) => chains.twitter))
    counts.set(text, (counts.get(text) ?? 0) + 1)
  const outAt = new Map(
    posts.flatMap(({ at, platform, text }) => (platform === "twitter" ? [[text, at] as const] : []))
  )
  return sends.flatMap(({ at, platform, text }) =>
    platform === "twitter" && counts.get(text) === 1 && at > (outAt.get(text) ?? Number.POSITIVE_INFINITY)
      ? [`doubled: twitter: “${text}” was sent again after it was out`]
      : []
  )
}

/** Compares the published parts of each target with the timelines. Call it once all targets have a final status. */
export const judgeThreads = (
  requested: ReadonlyArray<RequestedThread>,
  stored: ReadonlyArray<StoredThread>,
  report: Report
): ThreadVerdict => {
  const failures: Array<string> = [...sentAgain(report, requested)]
  const threadsByAccount = new Map(
    [...Map.groupBy(report.posts, accountKey)].map(([key, posts]) => [key, threadsOn(posts)] as const)
  )
  const owned = new Set(stored.flatMap(({ out }) => out))
  const claimed = new Set<string>()
  let duplicates = 0
  let published = 0
  for (const { chains, id } of requested) {
    for (const platform of ["twitter", "bluesky"] as const) {
      const chain = chains[platform]
      const name = `${platform}: “${chain[0]?.text ?? ""}”`
      const target = stored.find((each) => each.postId === id && each.platform === platform)
      if (target === undefined) {
        failures.push(`lost: ${name} is not stored`)
        continue
      }
      const [first] = target.out
      const thread = (threadsByAccount.get(accountKey(target)) ?? []).find(
        ([shown]) => shown !== undefined && nameInReplies(shown) === first
      )
      if (first !== undefined) {
        if (claimed.has(first)) failures.push(`doubled: two targets name the same post: ${name}`)
        claimed.add(first)
      }
      const shown = (thread ?? []).map(nameInReplies)
      if (shown.join() !== target.out.join()) {
        failures.push(
          `lost: ${name}: the service knows of ${target.out.length} parts, the timeline shows ${shown.length}`
        )
      }
      if (target.status === "published") {
        published += 1
        if (target.out.length !== chain.length) {
          failures.push(`lost: ${name} is published with ${target.out.length} of ${chain.length} parts`)
        }
      } else if (isDuplicateOnX(target, chain[target.part - 1]?.text ?? "", report.posts, owned)) duplicates += 1
      else failures.push(`lost: ${name}: ${target.status} at part ${target.part}: ${target.code} (${target.message})`)
    }
  }
  const unclaimed = [...threadsByAccount.values()]
    .flat()
    .filter(([shown]) => shown && !claimed.has(nameInReplies(shown)))
  failures.push(...unclaimed.map(([shown]) => `lost: “${shown?.text}” is out, and no target knows of it`))
  return { parts: report.posts.length, targets: stored.length, published, duplicates, failures }
}
