/** A string or a number of JSON. */
const tokens = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** More digits than any number has that JavaScript keeps without loss. */
const long = /^-?\d{16,}$/

/** Writes the long integers of a JSON text as strings, because JSON.parse would round TikTok's ids. */
export const withExactNumbers = (json: string): string =>
  json.replaceAll(tokens, (token) => (long.test(token) ? `"${token}"` : token))
