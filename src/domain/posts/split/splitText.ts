import { enabledRules } from "../../enabled.ts"
import type { LivePlatform, Platform } from "../../platform.ts"
import type { PlatformRules, Rules } from "../platformRules.ts"
import { maxTextLength } from "../../plain/limits.ts"
import { measureText } from "../text/textRules.ts"
import { cutText } from "./cutText.ts"
import type { Numbering } from "../../plain/posts.ts"
import { findSections } from "./sections.ts"

export interface SplitOrder {
  readonly content: string
  readonly platforms: ReadonlyArray<Platform>
  readonly numbering: Numbering
  readonly maxParts: number
}

interface MeasuredPart {
  readonly text: string
  readonly length: number
  readonly limit: number
}

export interface SplitText {
  readonly parts: ReadonlyArray<{ readonly content: string }>
  readonly per_platform: ReadonlyArray<{
    readonly platform: LivePlatform
    readonly parts: ReadonlyArray<MeasuredPart>
  }>
  readonly fits: boolean
}

/** Measures each text once. */
const makeMeasure = (rules: PlatformRules) => {
  const known = new Map<string, MeasuredPart>()
  return (text: string): MeasuredPart => {
    const found = known.get(text)
    if (found !== undefined) return found
    const { length, limit } = measureText(rules, text)
    const part = { text, length, limit }
    known.set(text, part)
    return part
  }
}

const isWithin = ({ length, limit }: MeasuredPart): boolean => length <= limit

const isPublishable = (text: string): boolean => text.length <= maxTextLength

interface Parts {
  readonly texts: ReadonlyArray<string>
  /** False if the last part contains all the rest. */
  readonly isComplete: boolean
}

/** A step ends with each part. */
type Steps<Result> = Generator<void, Result>

/** Each part fits with its number appended. */
function* splitInto(
  rules: Rules,
  content: string,
  maxParts: number,
  numberOf: (part: number) => string,
  fits: (text: string) => boolean
): Steps<Parts> {
  const texts: Array<string> = []
  let start = 0
  for (const section of findSections(content)) {
    const before = texts.length
    for (const piece of cutText(rules, section.text, (text, index) => fits(text + numberOf(before + index + 1)))) {
      if (texts.length === maxParts)
        return { texts: [...texts.slice(0, -1), content.slice(start).trim()], isComplete: false }
      start = section.start + piece.start
      texts.push(section.text.slice(piece.start, piece.end).trimEnd())
      yield
    }
  }
  return { texts, isComplete: true }
}

const noNumber = () => ""

/** The longest number of a part, if the count of parts has this many digits. */
const numberWith = (digits: number) => (part: number) => ` ${part}/${"9".repeat(digits)}`

function* splitNumbered(
  rules: Rules,
  content: string,
  maxParts: number,
  fits: (text: string) => boolean
): Steps<Parts> {
  const single = yield* splitInto(rules, content, 1, noNumber, fits)
  if (single.isComplete) return single
  const short = yield* splitInto(rules, content, Math.min(maxParts, 9), numberWith(1), fits)
  const { isComplete, texts } =
    short.isComplete || maxParts <= 9 ? short : yield* splitInto(rules, content, maxParts, numberWith(2), fits)
  return {
    texts: texts.length === 1 ? texts : texts.map((text, index) => `${text} ${index + 1}/${texts.length}`),
    isComplete
  }
}

/**
 * Splits a text into parts within the limits of all enabled platforms; if none is enabled, within the limit of a post's
 * text. The parts have the text's characters in order, except white space at cuts, break lines, and blank text between
 * break lines.
 */
export function* splitSteps(rules: Rules, { content, maxParts, numbering, platforms }: SplitOrder): Steps<SplitText> {
  const enabled = enabledRules(rules, platforms).map(({ own, platform }) => ({ platform, measure: makeMeasure(own) }))
  const fits = (text: string) => isPublishable(text) && enabled.every(({ measure }) => isWithin(measure(text)))
  const { isComplete, texts } =
    numbering === "suffix"
      ? yield* splitNumbered(rules, content, maxParts, fits)
      : yield* splitInto(rules, content, maxParts, noNumber, fits)
  // The last part may be long.
  for (const { measure } of enabled) {
    for (const text of texts) measure(text)
    yield
  }
  const measured = enabled.map(({ measure, platform }) => ({ platform, parts: texts.map((text) => measure(text)) }))
  return {
    parts: texts.map((text) => ({ content: text })),
    per_platform: measured,
    fits: isComplete && texts.every(isPublishable) && measured.every(({ parts }) => parts.every(isWithin))
  }
}
