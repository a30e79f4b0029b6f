import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { AskedPost } from "./load.ts"
import type { Report, StandInPost, StandInSend } from "./standInMessages.ts"
import type { StoredTarget } from "./storedTargets.ts"

/** What a campaign came to. A target is a post on one platform. */
export interface Verdict {
  readonly posts: number
  readonly targets: number
  readonly published: number
  /** The failed targets, by error code. */
  readonly failed: ReadonlyMap<string, number>
  /** Acknowledged and not there, not ended, published but not out, or failed for anything but an unknown outcome. */
  readonly lost: ReadonlyArray<string>
  /** Taken by the platform twice, or sent to X again after it had been carried out, whether or not X refused that. */
  readonly doubled: ReadonlyArray<string>
  /** Taken by the platform before its time. */
  readonly early: ReadonlyArray<string>
  /** The unknown outcomes, by what the stand-in did with the last send. */
  readonly unknown: ReadonlyMap<string, number>
  /** The unknown outcomes of posts that stand on the timeline, so that the service could have known. */
  readonly unknownThoughOut: ReadonlyArray<string>
  /** Milliseconds from a post's time to when a platform took it: the median and the longest of 99 in 100. */
  readonly lateness: readonly [number, number]
}

const keyOf = (target: { readonly platform: LivePlatform; readonly text: string }) =>
  `${target.platform}: ${target.text}`

const grouped = <A>(values: ReadonlyArray<A>, key: (value: A) => string): ReadonlyMap<string, ReadonlyArray<A>> =>
  Map.groupBy(values, key)

const counted = (names: ReadonlyArray<string>): ReadonlyMap<string, number> =>
  new Map([...grouped(names, (name) => name)].map(([name, all]) => [name, all.length]))

const isCarriedOut = ({ met }: StandInSend) => met === "nothing" || met.endsWith("after_commit")

/** What the last send of a target met; a target that arrived nowhere was cut off before it was sent. */
const lastMet = (sends: ReadonlyArray<StandInSend>): string => sends.at(-1)?.met ?? "never arrived"

const quantile = (sorted: ReadonlyArray<number>, share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0

/** Compares what was asked for and what the service says with what the stand-in saw. */
export const judge = (
  asked: ReadonlyArray<AskedPost>,
  stored: ReadonlyArray<StoredTarget>,
  { posts, sends }: Report
): Verdict => {
  const sendsOf = grouped(sends, keyOf)
  const postsOf = grouped(posts, keyOf)
  const due = new Map(asked.map((post) => [post.content, post.due]))
  const known = new Set(stored.map(({ content }) => content))
  const name = ({ content, platform }: StoredTarget) => keyOf({ platform, text: content })
  const isOut = (target: StoredTarget) => postsOf.has(name(target))
  const early = (post: StandInPost) => post.at < (due.get(post.text) ?? 0)

  const failed = stored.filter(({ status }) => status === "failed")
  const unknown = failed.filter(({ code }) => code === "outcome_unknown")
  const lateness = posts.map((post) => post.at - (due.get(post.text) ?? 0)).toSorted((left, right) => left - right)
  return {
    posts: known.size,
    targets: stored.length,
    published: stored.filter(({ status }) => status === "published").length,
    failed: counted(failed.map(({ code }) => code ?? "")),
    lost: [
      ...asked
        .filter((post) => post.acknowledged && !known.has(post.content))
        .map(({ content }) => `${content}: acknowledged, not stored`),
      ...stored.flatMap((target) => {
        if (target.status === "pending" || target.status === "publishing")
          return [`${name(target)}: ${target.status} (${target.message})`]
        if (target.status === "published") return isOut(target) ? [] : [`${name(target)}: published, not out`]
        return target.code === "outcome_unknown" ? [] : [`${name(target)}: ${target.code} (${target.message})`]
      })
    ],
    doubled: [
      ...[...postsOf].filter(([, all]) => all.length > 1).map(([target]) => target),
      ...[...sendsOf]
        .filter(([target, all]) => target.startsWith("twitter") && all.filter(isCarriedOut).length > 1)
        .map(([target]) => target)
    ],
    early: posts.filter(early).map((post) => `${keyOf(post)}: ${(due.get(post.text) ?? 0) - post.at} ms`),
    unknown: counted(unknown.map((target) => lastMet(sendsOf.get(name(target)) ?? []))),
    unknownThoughOut: unknown
      .filter(isOut)
      .map((target) => `${name(target)}: ${lastMet(sendsOf.get(name(target)) ?? [])}`),
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

/** The verdict as a table, with what the campaign did to the service in `beside`. */
export const tableOf = (verdict: Verdict, beside: Readonly<Record<string, string | number>>): string => {
  const rows = {
    posts: `${verdict.posts} (${verdict.targets} targets)`,
    published: verdict.published,
    failed: `${total(verdict.failed)}${list(verdict.failed)}`,
    lost: verdict.lost.length,
    doubled: verdict.doubled.length,
    early: verdict.early.length,
    unknown: `${total(verdict.unknown)}${list(verdict.unknown)}`,
    "unknown though out": verdict.unknownThoughOut.length,
    lateness: `median ${seconds(verdict.lateness[0])}, 99% within ${seconds(verdict.lateness[1])}`,
    ...beside
  }
  const width = Math.max(...Object.keys(rows).map((row) => row.length))
  return Object.entries(rows)
    .map(([row, value]) => `${row.padEnd(width)}  ${value}`)
    .join("\n")
}

/** Everything that must not be, one line each. */
export const faultsOf = (verdict: Verdict): ReadonlyArray<string> => [
  ...verdict.lost.map((each) => `lost: ${each}`),
  ...verdict.doubled.map((each) => `doubled: ${each}`),
  ...verdict.early.map((each) => `early: ${each}`),
  ...verdict.unknownThoughOut.map((each) => `unknown though out: ${each}`)
]
