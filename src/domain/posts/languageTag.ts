const primary = "[a-z]{2,3}(?:-[A-Za-z]{3}){0,3}"
const script = "(?:-[A-Za-z]{4})?"
const region = "(?:-(?:[A-Za-z]{2}|[0-9]{3}))?"
const variants = "(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*"
const extensions = "(?:-[0-9A-WYZa-wyz](?:-[A-Za-z0-9]{2,8})+)*"
const privateUse = "[xX](?:-[A-Za-z0-9]{1,8})+"

const wellFormed = new RegExp(
  `^(?:${primary}${script}${region}(?<variants>${variants})(?<extensions>${extensions})` +
    `(?:-${privateUse})?|${privateUse})$`
)

/** Registered tags outside the grammar. */
const irregular: ReadonlySet<string> = new Set(
  (
    "en-GB-oed i-ami i-bnn i-default i-enochian i-hak i-klingon i-lux i-mingo i-navajo i-pwn i-tao i-tay i-tsu " +
    "sgn-BE-FR sgn-BE-NL sgn-CH-DE"
  ).split(" ")
)

const areDistinct = (subtags: ReadonlyArray<string>): boolean =>
  new Set(subtags.map((subtag) => subtag.toLowerCase())).size === subtags.length

/**
 * True if Bluesky accepts a text as a post's language: a well-formed BCP 47 tag (RFC 5646) without repeated variants or
 * extensions, whose language has two or three small letters. Bluesky refuses a post with any other tag. `Intl` also
 * accepts words of five to eight letters, such as "english". Source: @atproto/pds 0.5.35 (`parseLanguageString`).
 */
export const isLanguageTag = (text: string): boolean => {
  if (irregular.has(text)) return true
  const groups = wellFormed.exec(text)?.groups
  if (groups === undefined) return false
  const subtags = (name: string) => (groups[name] ?? "").split("-").slice(1)
  return areDistinct(subtags("variants")) && areDistinct(subtags("extensions").filter(({ length }) => length === 1))
}
