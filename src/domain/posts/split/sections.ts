import { isBlank } from "../../plain/blankText.ts"

const breakLine = /^[^\S\r\n\u2028\u2029]*---[^\S\r\n\u2028\u2029]*$/gm

export interface Section {
  /** The section's index in the whole text, in UTF-16 code units. */
  readonly start: number
  readonly text: string
}

/** The sections between break lines, trimmed and without blank ones. */
export const findSections = (text: string): ReadonlyArray<Section> => {
  const breaks = Array.from(text.matchAll(breakLine), ({ 0: line, index }) => ({
    end: index,
    next: index + line.length
  }))
  return [...breaks, { end: text.length, next: text.length }].flatMap(({ end }, index) => {
    const from = breaks[index - 1]?.next ?? 0
    const section = text.slice(from, end)
    const trimmed = section.trimStart()
    return isBlank(trimmed) ? [] : [{ start: from + section.length - trimmed.length, text: trimmed.trimEnd() }]
  })
}

export const hasSections = (text: string): boolean => findSections(text).length > 0
