/** URLs with this many characters after the origin show their end. */
const longEnough = 20
const shownEnd = 4

const hidden = "…"
const encodedHidden = encodeURIComponent(hidden)

const restOf = ({ hash, pathname, search }: URL): string => `${pathname}${search}${hash}`.slice(1)

/**
 * A webhook's path is often a secret, so only the origin is shown. A long URL also shows its last characters, so that
 * people can tell two webhooks of one receiver apart.
 */
export const maskUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return hidden
  const rest = restOf(url)
  if (rest === "") return url.origin
  return `${url.origin}/${hidden}${rest.length < longEnough ? "" : rest.slice(-shownEnd)}`
}

/** True for a masked URL, also if its `…` is percent-encoded. Nothing can be sent there. */
export const isMaskedUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && restOf(url).startsWith(encodedHidden)
}

export const isShownUrl = (text: string, masked: string): boolean =>
  text === masked || (isMaskedUrl(text) && URL.parse(text)?.href === URL.parse(masked)?.href)
