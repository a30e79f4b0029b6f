import { isVisible, withoutInvisible } from "../../domain/plain/invisible.ts"
import { maxTagLength, maxTags } from "../../domain/plain/limits.ts"

/** The service refuses blank and repeated tags, several lines and invisible characters, which old posts may have. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags
    .map((tag) => withoutInvisible(tag.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")))
    .filter((tag, index, all) => isVisible(tag) && all.indexOf(tag) === index)

const isTagTooLong = (tag: string): boolean => Array.from(tag).length > maxTagLength

export const tagSeparator = /[,;\n\r\t、，；]/

/** The tags in a text, which commas, semicolons and line breaks separate. */
export const tagsIn = (text: string): ReadonlyArray<string> =>
  savableTags(text.split(tagSeparator).map((tag) => tag.trim().replace(/^#/, "")))

/** Adds the tags of a text. `rest` has those that are too long or too many, separated by commas. */
export const addTags = (tags: ReadonlyArray<string>, text: string) => {
  const named = tagsIn(text).filter((tag) => !tags.includes(tag))
  const fitting = named.filter((tag) => !isTagTooLong(tag)).slice(0, Math.max(0, maxTags - tags.length))
  return {
    tags: fitting.length === 0 ? tags : [...tags, ...fitting],
    rest: named.filter((tag) => !fitting.includes(tag)).join(", ")
  }
}

/** Says why tags of a text can't be added; undefined if all can. */
export const describeTags = (tags: ReadonlyArray<string>, text: string): string | undefined => {
  const { rest } = addTags(tags, text)
  const left = tagsIn(rest)
  const long = left.find(isTagTooLong)
  if (long !== undefined) {
    return `A tag has at most ${maxTagLength} characters, and this one has ${Array.from(long).length}. Make it shorter, or separate tags by commas.`
  }
  return left.length === 0
    ? undefined
    : `A post has at most ${maxTags} tags. ${left.length === 1 ? "This one is" : `These ${left.length} are`} left.`
}
