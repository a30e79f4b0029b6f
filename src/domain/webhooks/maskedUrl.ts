/** The end is shown of URLs with at least this many characters after the origin. */
const longEnough = 20
const shownEnd = 4

const hidden = "…"
const encodedHidden = encodeURIComponent(hidden)

/** Everything after the origin and its slash. */
const restOf = ({ hash, pathname, search }: URL): string => `${pathname}${search}${hash}`.slice(1)

/**
 * The visible form of a webhook's URL, whose path is often a secret: the origin, and the end of a long rest, so that
 * people can tell two webhooks of one receiver apart.
 */
export const maskUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return hidden
  const rest = restOf(url)
  if (rest === "") return url.origin
  return `${url.origin}/${hidden}${rest.length < longEnough ? "" : rest.slice(-shownEnd)}`
}

/** True if a text is the masked form of a URL, in any encoding. Nothing can be sent to it. */
export const isMaskedUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && restOf(url).startsWith(encodedHidden)
}

/** True if a client sends back the masked form that it was shown. */
export const isShownUrl = (text: string, masked: string): boolean =>
  text === masked || (isMaskedUrl(text) && URL.parse(text)?.href === URL.parse(masked)?.href)
