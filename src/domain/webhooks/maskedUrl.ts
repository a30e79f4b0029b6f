/** How many characters after the origin a URL has at least whose end is shown. */
const longEnough = 20
const shownEnd = 4

const hidden = "…"
const encodedHidden = encodeURIComponent(hidden)

/** What follows the origin and its slash. */
const restOf = ({ hash, pathname, search }: URL): string => `${pathname}${search}${hash}`.slice(1)

/**
 * What is shown of a webhook's URL, whose path is often a secret: the origin, and the end of a long rest, by which people tell
 * two webhooks of one receiver apart.
 */
export const maskUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return hidden
  const rest = restOf(url)
  if (rest === "") return url.origin
  return `${url.origin}/${hidden}${rest.length < longEnough ? "" : rest.slice(-shownEnd)}`
}

/** Whether a text is the masked form of some URL, however a client has encoded it, which nothing can be sent to. */
export const isMaskedUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && restOf(url).startsWith(encodedHidden)
}

/** Whether a client sends back the masked form that it was shown. */
export const isShownUrl = (text: string, masked: string): boolean =>
  text === masked || (isMaskedUrl(text) && URL.parse(text)?.href === URL.parse(masked)?.href)
