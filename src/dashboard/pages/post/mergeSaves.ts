interface SavedLine {
  readonly at: string
  readonly status: string
  readonly text: string
  /** The event's type. */
  readonly type: string
  readonly before?: unknown
}

/** Milliseconds. A draft saves itself while it is written. The same change by the same author is then one line. */
const togetherMillis = 30 * 60_000

/** Newest first. The line of several saves has the latest time and the earliest former text. */
export const mergeSaves = <Line extends SavedLine>(lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const merged: Array<Line> = []
  for (const line of lines) {
    const later = merged.at(-1)
    const isSame =
      later?.type === "post.updated" &&
      line.type === "post.updated" &&
      later.text === line.text &&
      later.status === line.status &&
      Date.parse(later.at) - Date.parse(line.at) < togetherMillis
    if (later !== undefined && isSame) merged[merged.length - 1] = { ...later, before: line.before ?? later.before }
    else merged.push(line)
  }
  return merged
}
