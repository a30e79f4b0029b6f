import type { LivePlatform } from "../../../src/domain/platform.ts"
import { isPageUrn } from "../../../src/platforms/linkedin/syntax.ts"
import type { RequestedPost } from "./load.ts"
import type { Report, StandInPost, StandInSend } from "./standInProcess.ts"
import { isDropped, type StoredTarget } from "./storedTargets.ts"
import { judgeTwins } from "./twins.ts"

/** The result of a campaign. A target is a post on one platform. */
export interface Verdict {
  readonly posts: number
  readonly targets: number
  readonly published: number
  /** The targets of posts that share their text, by outcome. */
  readonly twins: ReadonlyMap<string, number>
  /** The failed targets, by error code. */
  readonly failed: ReadonlyMap<string, number>
  /** By platform and result. */
  readonly results: ReadonlyMap<string, number>
  readonly withFiles: number
  /**
   * Posts that were acknowledged but not stored, and targets that have no final status, are published but not on the
   * timeline, or failed without an unknown outcome.
   */
  readonly lost: ReadonlyArray<string>
  /** Published twice, or sent to X again after X had published it, whether or not X rejected that as a duplicate. */
  readonly doubled: ReadonlyArray<string>
  /** On a timeline with other files than requested. */
  readonly bare: ReadonlyArray<string>
  /** Published before its time. */
  readonly early: ReadonlyArray<string>
  /** The unknown outcomes, by the fault of the last send. */
  readonly unknown: ReadonlyMap<string, number>
  /**
   * The unknown outcomes of posts that are on the timeline, where reconciliation should have found them. Nobody can read
   * the timeline of a member of LinkedIn.
   */
  readonly unknownThoughPublished: ReadonlyArray<string>
  /** Milliseconds from a post's time to its publication: the median and the 99th percentile. */
  readonly lateness: readonly [number, number]
}

const targetKey = (target: { readonly platform: LivePlatform; readonly text: string }) =>
  `${target.platform}: ${target.text}`

const groupBy = <A>(values: ReadonlyArray<A>, key: (value: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(values, key)

const countByName = (names: ReadonlyArray<string>): ReadonlyMap<string, number> =>
  new Map([...groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]))

/** True if the service can look for a post of the account. */
const isReadable = ({ accountId, platform }: StoredTarget) => platform !== "linkedin" || isPageUrn(accountId)

/** Containers that were published twice. */
export const containersTwice = (posts: ReadonlyArray<StandInPost>): ReadonlyArray<string> =>
  [...Map.groupBy(posts, ({ container }) => container)]
    .filter(([container, all]) => container !== null && all.length > 1)
    .map(([container, all]) => `the container ${container} was published ${all.length} times: ${all[0]?.text}`)

const isExecuted = ({ fault }: StandInSend) => fault === "nothing" || fault.endsWith("after_commit")

/** The fault of a target's last send. A target without a send was interrupted before. */
const lastFault = (sends: ReadonlyArray<StandInSend>): string => sends.at(-1)?.fault ?? "never arrived"

const quantile = (sorted: ReadonlyArray<number>, share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0

/** Compares what was requested and what the service reports with what the stand-in accepted. */
export const judge = (
  allRequested: ReadonlyArray<RequestedPost>,
  allStored: ReadonlyArray<StoredTarget>,
  report: Report
): Verdict => {
  const twinTexts = new Set(allRequested.filter(({ isTwin }) => isTwin).map(({ content }) => content))
  const isSingle = (text: string) => !twinTexts.has(text)
  const requested = allRequested.filter(({ content }) => isSingle(content))
  const stored = allStored.filter(({ content }) => isSingle(content))
  const posts = report.posts.filter(({ text }) => isSingle(text))
  const sends = report.sends.filter(({ text }) => isSingle(text))
  const twins = judgeTwins(
    allStored.filter(({ content }) => !isSingle(content)),
    report.posts.filter(({ text }) => !isSingle(text))
  )
  const sendsByTarget = groupBy(sends, targetKey)
  const postsByTarget = groupBy(posts, targetKey)
  const files = new Map(requested.map((post) => [post.content, post.files]))
  const due = new Map(requested.map((post) => [post.content, post.due]))
  const known = new Set(stored.map(({ content }) => content))
  const name = ({ content, platform }: StoredTarget) => targetKey({ platform, text: content })
  const isOnTimeline = (target: StoredTarget) => postsByTarget.has(name(target))
  const isEarly = (post: StandInPost) => post.at < (due.get(post.text) ?? 0)

  const failed = stored.filter(({ status }) => status === "failed")
  const unknown = failed.filter(({ code }) => code === "outcome_unknown")
  const lateness = posts.map((post) => post.at - (due.get(post.text) ?? 0)).toSorted((left, right) => left - right)
  return {
    posts: known.size + twinTexts.size * 2,
    targets: allStored.length,
    published: allStored.filter(({ status }) => status === "published").length,
    twins: twins.outcomes,
    failed: countByName(failed.map((target) => (isDropped(target) ? "dropped" : (target.code ?? "")))),
    results: countByName(allStored.map(({ code, platform, status }) => `${platform} ${code ?? status}`)),
    withFiles: posts.filter((post) => post.files > 0).length,
    lost: [
      ...twins.lost,
      ...requested
        .filter((post) => post.acknowledged && !known.has(post.content))
        .map(({ content }) => `${content}: acknowledged, not stored`),
      ...stored.flatMap((target) => {
        if (target.status === "pending" || target.status === "publishing")
          return [`${name(target)}: ${target.status} (${target.message})`]
        if (target.status === "published")
          return isOnTimeline(target) ? [] : [`${name(target)}: published, not on the timeline`]
        const isExplained = target.code === "outcome_unknown" || (isDropped(target) && !isOnTimeline(target))
        return isExplained ? [] : [`${name(target)}: ${target.code} (${target.message})`]
      })
    ],
    doubled: [
      ...twins.doubled,
      ...containersTwice(report.posts),
      ...[...postsByTarget].filter(([, all]) => all.length > 1).map(([target]) => target),
      ...[...sendsByTarget]
        .filter(([target, all]) => target.startsWith("twitter") && all.filter(isExecuted).length > 1)
        .map(([target]) => target)
    ],
    bare: posts
      .filter((post) => post.files !== files.get(post.text))
      .map((post) => `${targetKey(post)}: ${post.files} of ${files.get(post.text)} files`),
    early: posts.filter(isEarly).map((post) => `${targetKey(post)}: ${(due.get(post.text) ?? 0) - post.at} ms`),
    unknown: countByName(unknown.map((target) => lastFault(sendsByTarget.get(name(target)) ?? []))),
    unknownThoughPublished: unknown
      .filter((target) => isReadable(target) && isOnTimeline(target))
      .map((target) => `${name(target)}: ${lastFault(sendsByTarget.get(name(target)) ?? [])}`),
    lateness: [quantile(lateness, 0.5), quantile(lateness, 0.99)]
  }
}

const list = (counts: ReadonlyMap<string, number>) =>
  counts.size === 0
    ? ""
    : ` (${[...counts]
        .toSorted(([left], [right]) => left.localeCompare(right))
        .map(([name, count]) => `${name}: ${count}`)
        .join(", ")})`

const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, count) => sum + count, 0)

const seconds = (millis: number) => `${(millis / 1000).toFixed(1)} s`

/** Formats the verdict as a table, with rows about the injected faults. */
export const formatTable = (verdict: Verdict, extraRows: Readonly<Record<string, string | number>>): string => {
  const rows = {
    posts: `${verdict.posts} (${verdict.targets} targets)`,
    published: verdict.published,
    failed: `${total(verdict.failed)}${list(verdict.failed)}`,
    "with equal texts": `${total(verdict.twins)}${list(verdict.twins)}`,
    lost: verdict.lost.length,
    doubled: verdict.doubled.length,
    early: verdict.early.length,
    "with files": verdict.withFiles,
    "with other files": verdict.bare.length,
    unknown: `${total(verdict.unknown)}${list(verdict.unknown)}`,
    "unknown though published": verdict.unknownThoughPublished.length,
    lateness: `median ${seconds(verdict.lateness[0])}, 99% within ${seconds(verdict.lateness[1])}`,
    ...Object.fromEntries(verdict.results),
    ...extraRows
  }
  const width = Math.max(...Object.keys(rows).map((row) => row.length))
  return Object.entries(rows)
    .map(([row, value]) => `${row.padEnd(width)}  ${value}`)
    .join("\n")
}

/** One line for everything that must not happen. */
export const listFailures = (verdict: Verdict): ReadonlyArray<string> => [
  ...verdict.lost.map((target) => `lost: ${target}`),
  ...verdict.doubled.map((target) => `doubled: ${target}`),
  ...verdict.early.map((target) => `early: ${target}`),
  ...verdict.bare.map((target) => `with other files: ${target}`),
  ...verdict.unknownThoughPublished.map((target) => `unknown though published: ${target}`)
]
