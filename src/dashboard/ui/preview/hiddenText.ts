import { isBlank } from "../../../domain/plain/blankText.ts"

export interface HiddenPart {
  /** True for a mark in place of what readers can't see. */
  readonly isMark: boolean
  readonly text: string
}

/** More lines than this without visible text get a mark, because what follows may be out of view. */
const maxEmptyLines = 3

const emojiOrHidden = /\p{RGI_Emoji}|[\p{Cf}\p{Default_Ignorable_Code_Point}]/gv

/** Joiners and variation selectors change how the letters beside them look. */
const joins = /^(?:\u200c|\u200d|\ufe0e|\ufe0f)$/u

const isHidden = (found: string, before: string, after: string): boolean =>
  !/\P{Default_Ignorable_Code_Point}/u.test(found.replaceAll(/\p{Cf}/gu, "")) &&
  !(joins.test(found) && /[^\s\p{Cf}]$/u.test(before) && (/^\S/u.test(after) || /^(?:\ufe0e|\ufe0f)$/u.test(found)))

const nameOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`

const markCharacters = (text: string): ReadonlyArray<HiddenPart> => {
  const parts: Array<HiddenPart> = []
  let end = 0
  for (const { 0: found, index } of text.matchAll(emojiOrHidden)) {
    const after = index + found.length
    if (!isHidden(found, text.slice(Math.max(0, index - 2), index), text.slice(after, after + 2))) continue
    parts.push({ isMark: false, text: text.slice(end, index) }, { isMark: true, text: nameOf(found) })
    end = after
  }
  parts.push({ isMark: false, text: text.slice(end) })
  return parts
}

/** Puts a mark in place of many empty lines that have text above and below. */
const markLines = (text: string): ReadonlyArray<HiddenPart> => {
  const parts: Array<HiddenPart> = []
  let shown: Array<string> = []
  let empty: Array<string> = []
  for (const line of text.split("\n")) {
    if (isBlank(line)) {
      empty.push(line)
      continue
    }
    if (empty.length > maxEmptyLines && shown.length > 0) {
      parts.push({ isMark: false, text: shown.join("\n") }, { isMark: true, text: `${empty.length} empty lines` })
      shown = [line]
    } else shown.push(...empty, line)
    empty = []
  }
  return [...parts, { isMark: false, text: [...shown, ...empty].join("\n") }]
}

/** Marks invisible and direction-changing characters and many empty lines, so that nobody approves unseen text. */
export const markHidden = (text: string): ReadonlyArray<HiddenPart> =>
  markLines(text)
    .flatMap((part) => (part.isMark ? part : markCharacters(part.text)))
    .filter((part) => part.text !== "")
