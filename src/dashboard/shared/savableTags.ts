/** Old posts may have blank and repeated tags, which the service would refuse. */
export const savableTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  tags.filter((tag, index) => tag.trim() !== "" && tags.indexOf(tag) === index)
