/** What keys, tokens, hashes and the like look like: long, without a break, and not only letters. A UUID is none. */
const opaque =
  /(?<![\w-])(?![\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\w-]))(?=[A-Z_a-z-]*\d)[\w-]{24,}/g
const apiKey = /\bsps_\w+/g
const userinfo = /(?<=:\/\/)[^\s/@]*@/g
const header = /\b(?<scheme>Bearer|Basic|DPoP) +\S+/gi
const named = /(?<name>password|passwd|secret|token|api_?key|session|cookie)(?<is>["']?\s*[=:]\s*["']?)[^\s"'&;,]+/gi
/** JavaScript quotes the text that could not be read. */
const withoutUnreadable = (text: string): string => {
  const end = text.indexOf('" is not valid JSON')
  return end === -1 ? text : `${text.slice(0, text.indexOf('"'))}a text${text.slice(end + 1)}`
}

/** Spares most texts the search for all of these. */
const suspicious = /[\w-]{24}|sps_|@|JSON|bearer|basic|dpop|passw|secret|token|key|session|cookie/i

/**
 * A text for logs and traces, with whatever looks like a credential taken out of it. A second line of defence: nothing that
 * is secret is to be logged in the first place.
 */
export const redactSecrets = (text: string): string =>
  suspicious.test(text)
    ? withoutUnreadable(text)
        .replaceAll(userinfo, "…@")
        .replaceAll(header, "$<scheme> …")
        .replaceAll(named, "$<name>$<is>…")
        .replaceAll(apiKey, "…")
        .replaceAll(opaque, "…")
    : text
