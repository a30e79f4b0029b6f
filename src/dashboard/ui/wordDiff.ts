/** A part of a text beside the same part of an earlier one. */
export interface DiffPart {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/** Comparing takes the product of both lengths in memory; beyond it a changed part counts as replaced as a whole. */
const maxCells = 1_000_000

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** Words and what stands between them, also in languages that write without spaces. */
const wordsOf = (text: string): ReadonlyArray<string> => Array.from(segmenter.segment(text), ({ segment }) => segment)

const commonStart = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): number => {
  const end = Math.min(before.length, after.length)
  let index = 0
  while (index < end && before[index] === after[index]) index++
  return index
}

/** The lengths of the longest common subsequences of what follows each pair of places. */
const commonLengths = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) => {
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  return at
}

const diffMiddle = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<DiffPart> => {
  const replaced: ReadonlyArray<DiffPart> = [
    { kind: "removed", text: before.join("") },
    { kind: "added", text: after.join("") }
  ]
  if (before.length * after.length > maxCells) return replaced
  const at = commonLengths(before, after)
  const parts: Array<DiffPart> = []
  let row = 0
  let column = 0
  while (row < before.length || column < after.length) {
    if (row < before.length && column < after.length && before[row] === after[column]) {
      parts.push({ kind: "same", text: before[row] ?? "" })
      row++
      column++
    } else if (row < before.length && (column >= after.length || at(row + 1, column) >= at(row, column + 1))) {
      parts.push({ kind: "removed", text: before[row] ?? "" })
      row++
    } else {
      parts.push({ kind: "added", text: after[column] ?? "" })
      column++
    }
  }
  return parts
}

/** Joins neighbors of one kind, and a lone space between two changes to both of them, so that a phrase reads as one change. */
const join = (parts: ReadonlyArray<DiffPart>): ReadonlyArray<DiffPart> => {
  const joined: Array<DiffPart> = []
  let removed = ""
  let added = ""
  const flush = () => {
    if (removed !== "") joined.push({ kind: "removed", text: removed })
    if (added !== "") joined.push({ kind: "added", text: added })
    removed = ""
    added = ""
  }
  for (const [index, { kind, text }] of parts.entries()) {
    const next = parts[index + 1]
    if (kind === "removed") removed += text
    else if (kind === "added") added += text
    else if (removed !== "" && added !== "" && /^\s$/.test(text) && next !== undefined && next.kind !== "same") {
      removed += text
      added += text
    } else {
      flush()
      const last = joined.at(-1)
      if (last?.kind === "same") joined[joined.length - 1] = { kind, text: last.text + text }
      else joined.push({ kind, text })
    }
  }
  flush()
  return joined
}

/** What has changed from one text to another, word by word. */
export const wordDiff = (before: string, after: string): ReadonlyArray<DiffPart> => {
  const from = wordsOf(before)
  const to = wordsOf(after)
  const start = commonStart(from, to)
  const fromRest = from.slice(start)
  const toRest = to.slice(start)
  const end = commonStart(fromRest.toReversed(), toRest.toReversed())
  const same = (words: ReadonlyArray<string>): ReadonlyArray<DiffPart> =>
    words.map((text): DiffPart => ({ kind: "same", text }))
  return join([
    ...same(from.slice(0, start)),
    ...diffMiddle(fromRest.slice(0, fromRest.length - end), toRest.slice(0, toRest.length - end)),
    ...same(fromRest.slice(fromRest.length - end))
  ])
}
