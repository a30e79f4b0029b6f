const maxDetailLength = 300
/** In UTF-16 code units: the AT Protocol's limit is 640 bytes, X's 50 characters. */
const maxNameLength = 640

/** Anything that could be a token. */
const opaque = /[A-Za-z0-9_~+=.%-]{32,}/g
const lineBreaks = /[\s\p{Cc}]+/gu
/**
 * Lone surrogates, unassigned characters, and characters that reorder others. Joiners stay, because emoji need them.
 */
const unprintable = /[\p{C}--[\p{Cc}\u200C\u200D]]/gv

/** Only the beginning of a very long text is read. */
const printable = (text: string, maxLength: number): string => {
  const line = text
    .slice(0, maxLength * 10)
    .replaceAll(unprintable, "")
    .replaceAll(lineBreaks, " ")
    .trim()
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line
}

/** Safe to store and show: one short line without anything like a token. */
export const platformDetail = (text: string): string => printable(text.replaceAll(opaque, "…"), maxDetailLength)

/** A text of a platform, on one line. */
export const shownText = (text: unknown, maxLength: number): string =>
  typeof text === "string" ? printable(text, maxLength) : ""

export const displayName = (name: unknown): string | null =>
  typeof name === "string" ? printable(name, maxNameLength) || null : null
