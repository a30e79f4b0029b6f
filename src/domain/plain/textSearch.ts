import { maxSearchWords } from "./searchLimits.ts"

/** A lower-case letter's forms other than its upper case. */
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

/** Unicode ranges with characters that normalization replaces by others, such as the kelvin sign by K. */
const replacedRanges = [
  [0x340, 0x2fff],
  [0xf900, 0xfb4f],
  [0x1d15e, 0x1d1c0],
  [0x2f800, 0x2fa1d]
] as const

/** The characters that normalization replaces, by their decomposition. */
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

/** Converts to upper case first, so that all forms of a letter have the same lower case. */
const lowerOf = (letter: string): string => {
  if (/\p{M}/u.test(letter)) return letter
  const upper = letter.toUpperCase()
  const lower = isOne(upper) ? upper.toLowerCase() : letter.toLowerCase()
  return isOne(lower) ? lower : letter
}

const formsOf = (lower: string): ReadonlyArray<string> => {
  const upper = lower.toUpperCase()
  return Array.from(new Set([lower, ...(isOne(upper) ? [upper] : []), ...Array.from(otherForms[lower] ?? "")]))
}

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

/** Matches a letter and its marks. The first marks can be composed with the letter. */
const clusterPattern = (cluster: string): string => {
  const [letter = "", ...marks] = Array.from(cluster.normalize("NFD"))
  const forms = formsOf(letter)
  const ways = Array.from({ length: marks.length + 1 }, (_, index) => ({
    letters: composed(forms, marks.slice(0, index)),
    rest: escape(marks.slice(index).join(""))
  })).flatMap(({ letters, rest }) => (letters.length === 0 ? [] : [`${oneOf(letters)}${rest}`]))
  const pattern = ways.length === 1 ? ways.join("") : `(?:${ways.join("|")})`
  // The lower case of İ is an i with a combining dot.
  return cluster === "i" ? `${pattern}\u0307?` : pattern
}

/** No mark may follow, because it would turn the last letter into another letter, as in é and が. */
const noMarkFollows = "(?![\u0300-\u036f\u3099\u309a])"

const oneS = oneOf(formsOf("s"))
const sharpS = `(?:${oneS.repeat(2)}|[ßẞ])`

/** ß can replace two letters s: in `sss`, the first two or the last two. */
const runsOfS: Readonly<Record<string, string>> = {
  ss: sharpS,
  sss: `(?:${sharpS}${oneS}|${oneS}[ßẞ])`
}

const wordPattern = /"[^"]*[^"\s][^"]*"|\S+/gu

/**
 * The words that a post must contain, in any order and place. Words between quotation marks stay together. The words
 * after the seventh are one phrase, as they were typed.
 */
export const searchWords = (text: string): ReadonlyArray<string> => {
  const found = Array.from(text.matchAll(wordPattern))
  const rest = found[maxSearchWords - 1]
  const single = found.slice(
    0,
    rest === undefined || found.length === maxSearchWords ? maxSearchWords : maxSearchWords - 1
  )
  const words = single.map(([word]) => (/^".+"$/su.test(word) ? word.slice(1, -1).trim() : word))
  if (rest !== undefined && found.length > maxSearchWords) words.push(text.slice(rest.index).trim())
  return Array.from(new Set(words))
}

/**
 * The pattern of one word or phrase. Ignores case and the composition of letters with marks. PostgreSQL with collation
 * "C" and JavaScript with the flag `u` read the pattern alike, so no locale matters.
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
