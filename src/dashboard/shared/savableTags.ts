import { isVisible, withoutInvisible } from "../../domain/plain/invisible.ts"

/** The service refuses blank and repeated tags, several lines and invisible characters, which old posts may have. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags
    .map((tag) => withoutInvisible(tag.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")))
    .filter((tag, index, all) => isVisible(tag) && all.indexOf(tag) === index)
