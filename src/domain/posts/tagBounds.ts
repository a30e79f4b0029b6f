import type { Issue } from "../errors.ts"
import { maxTagLength, maxTags } from "../plain/limits.ts"

const lengthOf = (tag: string): number => Array.from(tag).length

/**
 * The issues of a post's tags.
 * @param stored The tags that the post has. Earlier versions accepted more and longer tags, which can stay.
 */
export const findTagIssues = (
  tags: ReadonlyArray<string> = [],
  stored: ReadonlyArray<string> = []
): ReadonlyArray<Issue> => {
  const count = new Set(tags).size
  const tooMany: ReadonlyArray<Issue> =
    count <= Math.max(maxTags, stored.length)
      ? []
      : [
          {
            path: ["tags"],
            message: `A post has at most ${maxTags} tags, and these are ${count}; leave some out`,
            code: "too_many",
            facts: { limit: maxTags }
          }
        ]
  const tooLong = tags.flatMap((tag, index): ReadonlyArray<Issue> => {
    const length = lengthOf(tag)
    return length <= maxTagLength || stored.includes(tag)
      ? []
      : [
          {
            path: ["tags", index],
            message: `A tag has at most ${maxTagLength} characters, and this one has ${length}; make it shorter, or send several tags`
          }
        ]
  })
  return [...tooMany, ...tooLong]
}
