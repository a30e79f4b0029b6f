import { diffArrays } from "diff"

export interface DiffPart {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/** Comparing takes quadratic time in the number of changed words. With more, the whole text counts as replaced. */
const maxChanges = 1000

const segmenter = new Intl.Segmenter(undefined, { granularity: "word" })

/** Also works for languages without spaces. */
export const wordsOf = (text: string): Array<string> => Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Joins two changes with only a space between them, so that a phrase reads as one change. */
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
    if (kind === "removed") removed += text
    else if (kind === "added") added += text
    else if (removed !== "" && added !== "" && /^\s$/.test(text) && index < parts.length - 1) {
      removed += text
      added += text
    } else {
      flush()
      joined.push({ kind, text })
    }
  }
  flush()
  return joined
}

export const wordDiff = (before: string, after: string): ReadonlyArray<DiffPart> => {
  const changes = diffArrays(wordsOf(before), wordsOf(after), { maxEditLength: maxChanges })
  return changes === undefined
    ? [
        { kind: "removed", text: before },
        { kind: "added", text: after }
      ]
    : join(
        changes.map(({ added, removed, value }) => ({
          kind: added ? "added" : removed ? "removed" : "same",
          text: value.join("")
        }))
      )
}
