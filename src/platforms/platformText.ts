/*
 * A platform's words, made safe to store and show.
 */

const maxDetailLength = 300
/** In UTF-16 code units: 640 bytes is the AT Protocol's limit, and X's is 50 characters. */
const maxNameLength = 640

/** What could be a token. */
const opaque = /[A-Za-z0-9_~+=.%-]{32,}/g
const lineBreaks = /[\s\p{Cc}]+/gu
/** Lone surrogates, unassigned characters, and those that reorder what stands beside them. Joiners are parts of emoji. */
const unprintable = /[\p{C}--[\p{Cc}\u200C\u200D]]/gv

/** One line of printable characters. Only the beginning is read of what is far too long. */
const printable = (text: string, maxLength: number): string => {
  const line = text
    .slice(0, maxLength * 10)
    .replaceAll(unprintable, "")
    .replaceAll(lineBreaks, " ")
    .trim()
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line
}

/** A platform's explanation: one line of limited length without anything like a token. */
export const platformDetail = (text: string): string => printable(text.replaceAll(opaque, "…"), maxDetailLength)

/** The name that people see of an account; null without one. */
export const displayName = (name: unknown): string | null =>
  typeof name === "string" ? printable(name, maxNameLength) || null : null
