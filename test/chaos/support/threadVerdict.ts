import { LivePlatform } from "../../../src/domain/platform.ts"
import type { Report, StandInPost } from "./standInProcess.ts"
import type { StoredThread } from "./storedThreads.ts"
import { accountKey, nameInReplies, threadsOn } from "./threadChains.ts"
import type { RequestedThread } from "./threadLoad.ts"
import { isDuplicateOnX } from "./threadPerson.ts"
import { containersTwice } from "./verdict.ts"

/** The number of targets by result. */
export interface ThreadVerdict {
  readonly parts: number
  readonly targets: number
  readonly published: number
  /** The number of targets that X refused because the account already has the text. */
  readonly duplicates: number
  readonly withFiles: number
  /** The number of published targets with a part whose address the platform has not told yet. */
  readonly withoutAddress: number
  /** The number of parts on timelines. */
  readonly byPlatform: ReadonlyMap<LivePlatform, number>
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
  const failures: Array<string> = [
    ...sentAgain(report, requested),
    ...containersTwice(report.posts).map((what) => `doubled: ${what}`)
  ]
  const threadsByAccount = new Map(
    [...Map.groupBy(report.posts, accountKey)].map(([key, posts]) => [key, threadsOn(posts)] as const)
  )
  const owned = new Set(stored.flatMap(({ out }) => out))
  const claimed = new Set<string>()
  let duplicates = 0
  let published = 0
  const wanted = requested.flatMap(({ chains, id }) =>
    LivePlatform.literals.flatMap((platform) => {
      const chain = chains[platform]
      const target = stored.find((each) => each.postId === id && each.platform === platform)
      return chain.length === 0 ? [] : [{ chain, name: `${platform}: “${chain[0]?.text ?? ""}”`, target }]
    })
  )
  // A target without its first address gets a post that no other target names.
  const withAddressFirst = wanted.toSorted(
    (left, right) => Number(left.target?.out[0] === "") - Number(right.target?.out[0] === "")
  )
  for (const { chain, name, target } of withAddressFirst) {
    if (target === undefined) {
      failures.push(`lost: ${name} is not stored`)
      continue
    }
    const [first] = target.out
    const isFirst = (post: StandInPost) =>
      first === "" ? post.text === chain[0]?.text && !claimed.has(nameInReplies(post)) : nameInReplies(post) === first
    const thread = (threadsByAccount.get(accountKey(target)) ?? []).find(
      ([shown]) => shown !== undefined && isFirst(shown)
    )
    const shown = (thread ?? []).map(nameInReplies)
    const [shownFirst = first] = shown
    if (shownFirst !== undefined) {
      if (claimed.has(shownFirst)) failures.push(`doubled: two targets name the same post: ${name}`)
      claimed.add(shownFirst)
    }
    if (
      shown.length !== target.out.length ||
      target.out.some((known, index) => known !== "" && known !== shown[index])
    ) {
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
  const unclaimed = [...threadsByAccount.values()]
    .flat()
    .filter(([shown]) => shown && !claimed.has(nameInReplies(shown)))
  failures.push(...unclaimed.map(([shown]) => `lost: “${shown?.text}” is out, and no target knows of it`))
  return {
    parts: report.posts.length,
    targets: stored.length,
    published,
    duplicates,
    withFiles: report.posts.filter(({ files }) => files > 0).length,
    withoutAddress: stored.filter(({ out, status }) => status === "published" && out.includes("")).length,
    byPlatform: new Map(
      [...Map.groupBy(report.posts, ({ platform }) => platform)].map(([platform, posts]) => [platform, posts.length])
    ),
    failures
  }
}
