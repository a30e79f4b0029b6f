/** Removes blank and repeated tags, which old posts may have but the service refuses. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.filter((tag, index) => tag.trim() !== "" && tags.indexOf(tag) === index)
