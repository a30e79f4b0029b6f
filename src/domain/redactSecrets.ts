/** Keys, tokens and hashes: 24 or more word characters with a digit, except UUIDs. */
const opaque =
  /(?<![\w-])(?![\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}(?![\w-]))(?=[A-Z_a-z-]*\d)[\w-]{24,}/g
const apiKey = /\bsps_\w+/g
const userinfo = /(?<=:\/\/)[^\s/@]*@/g
const header = /\b(?<scheme>Bearer|Basic|DPoP) +\S+/gi
const named = /(?<name>password|passwd|secret|token|api_?key|session|cookie)(?<is>["']?\s*[=:]\s*["']?)[^\s"'&;,]+/gi
/** JSON.parse's error message quotes its input. */
const withoutUnparsed = (text: string): string => {
  const end = text.indexOf('" is not valid JSON')
  return end === -1 ? text : `${text.slice(0, text.indexOf('"'))}a text${text.slice(end + 1)}`
}

/** A quick test: most texts skip the replacements. */
const suspicious = /[\w-]{24}|sps_|@|JSON|bearer|basic|dpop|passw|secret|token|key|session|cookie/i

/** Removes credentials from logs and traces. Defense in depth: secrets must not be logged in the first place. */
export const redactSecrets = (text: string): string =>
  suspicious.test(text)
    ? withoutUnparsed(text)
        .replaceAll(userinfo, "…@")
        .replaceAll(header, "$<scheme> …")
        .replaceAll(named, "$<name>$<is>…")
        .replaceAll(apiKey, "…")
        .replaceAll(opaque, "…")
    : text
