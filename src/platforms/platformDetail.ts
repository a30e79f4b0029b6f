const longest = 300
const opaque = /[A-Za-z0-9_~+=.%-]{32,}/g

/** What a platform said of an error, fit to be shown and stored: one short line without anything that could be a token. */
export const platformDetail = (text: string): string => {
  const line = text
    .replaceAll(opaque, "…")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
  return line.length > longest ? `${line.slice(0, longest).toWellFormed()}…` : line
}
