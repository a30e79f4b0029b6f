/** The service refuses blank and repeated tags, which old posts may have. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.filter((tag, index) => tag.trim() !== "" && tags.indexOf(tag) === index)
