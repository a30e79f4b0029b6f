/** Three or more line breaks, with nothing between them but white space and characters that have no width. */
const excessBreaks = /[\r\n](?:[[\s\u{ad}\u{2060}\u{200b}-\u{200d}]--[\r\n]]*[\r\n]){2,}/gv

/**
 * A text as Bluesky's app posts it: without white space at its end, with LF for CRLF, and with two line breaks in place of
 * more. The start stays as it was written. Lengths and facets are those of this text.
 */
export const blueskyPostText = (text: string): string =>
  text.trimEnd().replaceAll("\r\n", "\n").replaceAll(excessBreaks, "\n\n")
