import { searchPattern, searchWords } from "../../../domain/plain/textSearch.ts"
import type { PostJson } from "../../api/posts.ts"

/** UTF-16 code units shown before a match. */
const lead = 12
const maxLength = 300

/** All texts of a post; its own comes first. */
const textsOf = (post: PostJson): ReadonlyArray<string> =>
  [post, ...post.thread].flatMap(({ content, platform_overrides }) => [content, ...Object.values(platform_overrides)])

/** The text around a match, on one line. */
const around = (text: string, at: number): string => {
  // The text must not begin within a surrogate pair.
  const start = at <= lead * 2 ? 0 : Math.max(0, at - lead)
  const begin = start > 0 && /^[\udc00-\udfff]/.test(text.slice(start)) ? start + 1 : start
  const line = text
    .slice(begin, begin + maxLength)
    .trim()
    .replaceAll(/\s+/g, " ")
  return begin === 0 ? line : `…${line}`
}

/** Finds what the service finds. `Marked.tsx` loads this code with the first search. */
export const makeSearch = (text: string) => {
  const patterns = searchWords(text).map(searchPattern)
  const words = patterns.map((pattern) => new RegExp(pattern, "u"))
  const any = new RegExp(patterns.join("|"), "u")
  return {
    text,
    /** Matches any of the words. */
    any,
    /** The words may be in different texts and tags. */
    isFound: (post: PostJson): boolean => {
      const texts = [...textsOf(post), ...post.tags]
      return words.every((word) => texts.some((each) => word.test(each)))
    },
    /** The text around the first match; undefined if no text has one. */
    foundWords: (post: PostJson): string | undefined => {
      for (const each of textsOf(post)) {
        const at = any.exec(each)?.index
        if (at !== undefined) return around(each, at)
      }
      return undefined
    }
  }
}

export type Search = ReturnType<typeof makeSearch>
