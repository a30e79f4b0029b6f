/** The length of a list of tags as YouTube counts it: with commas, and with the quotes that a tag with a space gets. */
export const tagsLength = (tags: ReadonlyArray<string>): number =>
  tags.reduce((sum, tag) => sum + tag.length + (/\s/.test(tag) ? 2 : 0), 0) + Math.max(0, tags.length - 1)
