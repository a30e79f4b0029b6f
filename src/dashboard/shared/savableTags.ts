/** The tags of a post, but for blank and repeated ones: posts may have these from before, and they would not be saved again. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.filter((tag, index) => tag.trim() !== "" && tags.indexOf(tag) === index)
