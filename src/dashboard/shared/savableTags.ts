import { withoutInvisible } from "../../domain/plain/invisible.ts"

/** The service refuses blank and repeated tags and invisible characters, which old posts may have. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.map(withoutInvisible).filter((tag, index, all) => tag.trim() !== "" && all.indexOf(tag) === index)
