import { diffArrays } from "diff"
import { livePlatforms, namePlatforms } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { wordsOf } from "../../ui/diff/wordDiff.ts"
import type { PostJson } from "../../api/postStatus.ts"

type ThreadPart = PostJson["thread"][number]

export interface TextChange {
  /** Counted from 1; undefined if neither version has a thread. */
  readonly part: number | undefined
  /** Undefined for the text of all platforms without a text of their own. */
  readonly platform: LivePlatform | undefined
  readonly before: string
  readonly after: string
  /** Such as `added`. */
  readonly note: string | undefined
}

type Texts = Pick<PostJson, "content" | "platform_overrides" | "thread">

/** Properties that a version does not store, such as the first part's files, are undefined. */
type Part = Pick<ThreadPart, "content" | "platform_overrides"> & Partial<Pick<ThreadPart, "media" | "platforms">>

interface Pair {
  readonly before?: Part
  readonly after?: Part
  /** A removed part has its earlier number. */
  readonly number: number
  /** The earlier number, if the part moved past other parts. */
  readonly from?: number
}

const partsOf = ({ content, platform_overrides, thread }: Texts): ReadonlyArray<Part> => [
  { content, platform_overrides },
  ...thread
]

const keyOf = ({ content, platform_overrides: overrides }: Part): string =>
  JSON.stringify([content, ...livePlatforms.map((platform) => overrides[platform])])

/** Two parts that share a smaller fraction of their words are never paired. */
const minShared = 0.4

/** From 0 to 1. */
const similarity = (left: string, right: string): number => {
  const [from, to] = [left, right].map((text) => new Set(wordsOf(text).filter((word) => word.trim() !== "")))
  if (from === undefined || to === undefined || from.size + to.size === 0) return 1
  return (2 * from.intersection(to).size) / (from.size + to.size)
}

/** Pairs removed parts with added ones, in order, so that the pairs share as many words as possible. */
const match = (removed: ReadonlyArray<Part>, added: ReadonlyArray<Part>): ReadonlyMap<number, number> => {
  if (removed.length === 1 && added.length === 1) return new Map([[0, 0]])
  const scores = removed.map(({ content: from }) =>
    added.map(({ content: to }) => {
      const score = similarity(from, to)
      return score < minShared ? 0 : score
    })
  )
  /** The greatest sum of similarities that is possible from a row and column to the end. */
  const best = Array.from({ length: removed.length + 1 }, () => Array.from({ length: added.length + 1 }, () => 0))
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0
  const scoreAt = (row: number, column: number): number => scores[row]?.[column] ?? 0
  const taken = (row: number, column: number): number =>
    scoreAt(row, column) === 0 ? 0 : scoreAt(row, column) + at(row + 1, column + 1)
  for (let row = removed.length - 1; row >= 0; row--) {
    for (let column = added.length - 1; column >= 0; column--) {
      best[row]?.splice(column, 1, Math.max(at(row + 1, column), at(row, column + 1), taken(row, column)))
    }
  }
  const matched = new Map<number, number>()
  let [row, column] = [0, 0]
  while (row < removed.length && column < added.length) {
    if (taken(row, column) > 0 && taken(row, column) === at(row, column)) matched.set(row++, column++)
    else if (at(row + 1, column) === at(row, column)) row++
    else column++
  }
  return matched
}

/** Joins a removed part and an equal added part to one part that moved. */
const joinMoved = (pairs: ReadonlyArray<Pair>): ReadonlyArray<Pair> => {
  const removed = pairs.filter(({ after }) => after === undefined)
  const moved = new Set<Pair>()
  const joined = pairs.map((pair): Pair => {
    const { after, before, number } = pair
    if (after === undefined || before !== undefined) return pair
    const former = removed.find(
      (other) => !moved.has(other) && other.before !== undefined && keyOf(other.before) === keyOf(after)
    )
    if (former?.before === undefined) return pair
    moved.add(former)
    return { before: former.before, after, number, from: former.number }
  })
  return joined.filter((pair) => !moved.has(pair))
}

const pairParts = (before: ReadonlyArray<Part>, after: ReadonlyArray<Part>): ReadonlyArray<Pair> => {
  const pairs: Array<Pair> = []
  const [left, right] = [
    before.map((part, index) => ({ part, number: index + 1 })),
    after.map((part, index) => ({ part, number: index + 1 }))
  ]
  let removed: typeof left = []
  const settle = (added: typeof right) => {
    const matched = match(
      removed.map(({ part }) => part),
      added.map(({ part }) => part)
    )
    const kept = new Set(matched.values())
    pairs.push(
      ...removed.map(({ number, part }, index): Pair => {
        const other = added[matched.get(index) ?? -1]
        return other === undefined
          ? { before: part, number }
          : { before: part, after: other.part, number: other.number }
      }),
      ...added.flatMap(({ number, part }, index): ReadonlyArray<Pair> =>
        kept.has(index) ? [] : [{ after: part, number }]
      )
    )
    removed = []
  }
  for (const change of diffArrays(before.map(keyOf), after.map(keyOf))) {
    if (change.removed) {
      if (removed.length > 0) settle([])
      removed = left.splice(0, change.count)
    } else if (change.added) {
      settle(right.splice(0, change.count))
    } else {
      settle([])
      const [from, to] = [left.splice(0, change.count), right.splice(0, change.count)]
      pairs.push(
        ...to.map(({ number, part }, index) => {
          const same = from[index]
          return { after: part, number, ...(same !== undefined && { before: same.part }) }
        })
      )
    }
  }
  settle([])
  return joinMoved(pairs).toSorted((one, other) => one.number - other.number)
}

const filesOf = (media: ThreadPart["media"]): string => JSON.stringify(media.map(({ alt, id }) => [id, alt]))

const notesOf = ({ after, before, from }: Pair): ReadonlyArray<string> => {
  if (before === undefined) return ["added"]
  if (after === undefined) return ["removed"]
  const { media: oldFiles, platforms: oldPlatforms = null } = before
  const { media: files, platforms = null } = after
  const isElsewhere = JSON.stringify(platforms?.toSorted()) !== JSON.stringify(oldPlatforms?.toSorted())
  return [
    ...(from === undefined ? [] : [`moved, was part ${from}`]),
    ...(oldFiles !== undefined && files !== undefined && filesOf(oldFiles) !== filesOf(files) ? ["other files"] : []),
    ...(isElsewhere ? [platforms === null ? "on all platforms now" : `only on ${namePlatforms(platforms)} now`] : [])
  ]
}

const nothing: Part = { content: "", platform_overrides: {} }

/** A platform's own text is compared with the text that it replaces. */
const textsOf = ({ after = nothing, before = nothing }: Pair) => {
  const own = livePlatforms.flatMap((platform) => {
    const [from, to] = [before.platform_overrides[platform], after.platform_overrides[platform]]
    return from === to ? [] : [{ platform, before: from ?? before.content, after: to ?? after.content }]
  })
  const shared = { platform: undefined, before: before.content, after: after.content }
  return [shared, ...own].filter((text) => text.before !== text.after)
}

const changesOf = (found: Pair, isThread: boolean): ReadonlyArray<TextChange> => {
  const notes = notesOf(found)
  const note = notes.length === 0 ? undefined : notes.join(", ")
  const part = isThread ? found.number : undefined
  const texts = textsOf(found).map((text, index): TextChange => ({
    ...text,
    part,
    note: index === 0 ? note : undefined
  }))
  return texts.length > 0 || note === undefined ? texts : [{ part, platform: undefined, before: "", after: "", note }]
}

export const changedTexts = (before: Texts | null, after: Texts): ReadonlyArray<TextChange> => {
  if (before === null) return []
  const isThread = before.thread.length > 0 || after.thread.length > 0
  return pairParts(partsOf(before), partsOf(after)).flatMap((found) => changesOf(found, isThread))
}
