/** The fewest and the most UTF-16 code units of a text to search for, without the spaces around it. */
export const minSearchLength = 2
export const maxSearchLength = 200

/** Letters that are another form of a letter in lower case, and not its upper case. */
const otherForms: Readonly<Record<string, string>> = {
  i: "ıİ",
  s: "ſ",
  μ: "µ",
  β: "ϐ",
  ε: "ϵ",
  θ: "ϑϴ",
  κ: "ϰ",
  π: "ϖ",
  ρ: "ϱ",
  σ: "ς",
  φ: "ϕ",
  ǆ: "ǅ",
  ǉ: "ǈ",
  ǌ: "ǋ",
  ǳ: "ǲ",
  в: "ᲀ",
  д: "ᲁ",
  о: "ᲂ",
  с: "ᲃ",
  т: "ᲄᲅ",
  ъ: "ᲆ",
  ѣ: "ᲇ",
  ꙋ: "ᲈ"
}

/** Where Unicode has characters that normalization replaces, as it does the sign of kelvin by a K. */
const replacedRanges = [
  [0x340, 0x2fff],
  [0xf900, 0xfb4f],
  [0x1d15e, 0x1d1c0],
  [0x2f800, 0x2fa1d]
] as const

/** The characters that normalization replaces, by what it decomposes them to. */
const findReplaced = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const [first, last] of replacedRanges) {
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const decomposed = character.normalize("NFD")
      if (decomposed === character || character.normalize("NFC") === character) continue
      found.set(decomposed, [...(found.get(decomposed) ?? []), character])
    }
  }
  return found
}
let replaced: ReadonlyMap<string, ReadonlyArray<string>> | undefined

const isOne = (text: string): boolean => Array.from(text).length === 1

/** The lower case of a letter, by way of its upper case, so that all forms of a letter have one. */
const lowerOf = (letter: string): string => {
  if (/\p{M}/u.test(letter)) return letter
  const upper = letter.toUpperCase()
  const lower = isOne(upper) ? upper.toLowerCase() : letter.toLowerCase()
  return isOne(lower) ? lower : letter
}

/** All forms of a letter in lower case. */
const formsOf = (lower: string): ReadonlyArray<string> => {
  const upper = lower.toUpperCase()
  return Array.from(new Set([lower, ...(isOne(upper) ? [upper] : []), ...Array.from(otherForms[lower] ?? "")]))
}

/** The characters that are the same as a letter in any of these forms with these marks. */
const composed = (forms: ReadonlyArray<string>, marks: ReadonlyArray<string>): ReadonlyArray<string> => {
  replaced ??= findReplaced()
  const found = new Set<string>()
  for (const form of forms) {
    const text = `${form}${marks.join("")}`
    const one = text.normalize("NFC")
    if (isOne(one)) found.add(one)
    for (const other of replaced.get(text.normalize("NFD")) ?? []) found.add(other)
  }
  return Array.from(found)
}

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

const oneOf = (letters: ReadonlyArray<string>): string =>
  letters.length === 1 ? escape(letters.join("")) : `[${letters.join("")}]`

/** A letter and the marks on it, of which the first ones may be composed with it. */
const clusterPattern = (cluster: string): string => {
  const [letter = "", ...marks] = Array.from(cluster.normalize("NFD"))
  const forms = formsOf(letter)
  const ways = Array.from({ length: marks.length + 1 }, (_, index) => ({
    letters: composed(forms, marks.slice(0, index)),
    rest: escape(marks.slice(index).join(""))
  })).flatMap(({ letters, rest }) => (letters.length === 0 ? [] : [`${oneOf(letters)}${rest}`]))
  const pattern = ways.length === 1 ? ways.join("") : `(?:${ways.join("|")})`
  // İ in lower case has a dot above a letter that has one.
  return cluster === "i" ? `${pattern}\u0307?` : pattern
}

/** Marks that make another letter of the one before them, as in é and が. */
const noMarkFollows = "(?![\u0300-\u036f\u3099\u309a])"

const oneS = oneOf(formsOf("s"))
const sharpS = `(?:${oneS.repeat(2)}|[ßẞ])`

/** Letters s that ß may stand for two of. Of three it may be the first two or the last two. */
const runsOfS: Readonly<Record<string, string>> = {
  ss: sharpS,
  sss: `(?:${sharpS}${oneS}|${oneS}[ßẞ])`
}

/**
 * A regular expression that finds a text without regard to case, and to whether letters with marks are composed. It means the same to
 * PostgreSQL, with the collation "C", and to JavaScript, with the flag `u`. So neither depends on the locale of the other.
 */
export const searchPattern = (text: string): string => {
  const lower = Array.from(text.normalize("NFC"), lowerOf)
    .join("")
    .replaceAll("İ", "i")
    .replaceAll("i\u0307", "i")
    .replaceAll("ß", "ss")
  const clusters = lower.match(/(?<!s)sss(?![s\p{M}])|ss(?!\p{M})|\P{M}\p{M}*|\p{M}+/gu) ?? []
  return `${clusters.map((cluster) => runsOfS[cluster] ?? clusterPattern(cluster)).join("")}${noMarkFollows}`
}
