import { createContext } from "preact"
import { useContext, useMemo } from "preact/hooks"
import { searchPattern } from "../../../domain/plain/textSearch.ts"
import type { PostJson } from "../../api/posts.ts"

const SearchContext = createContext<RegExp | undefined>(undefined)
export const SearchProvider = SearchContext.Provider
export const useSearch = () => useContext(SearchContext)

export const usePattern = (text: string | undefined): RegExp | undefined =>
  useMemo(() => (text === undefined ? undefined : new RegExp(searchPattern(text), "u")), [text])

/** All texts of a post; its own comes first. */
const textsOf = (post: PostJson): ReadonlyArray<string> =>
  [post, ...post.thread].flatMap(({ content, platform_overrides }) => [content, ...Object.values(platform_overrides)])

export const isFound = (pattern: RegExp, post: PostJson): boolean =>
  [...textsOf(post), ...post.tags].some((text) => pattern.test(text))

/** UTF-16 code units shown before a match. */
const lead = 24
const maxLength = 300

/** The text around a match, on one line. */
export const foundWords = (pattern: RegExp, post: PostJson): string | undefined => {
  for (const text of textsOf(post)) {
    const at = pattern.exec(text)?.index
    if (at === undefined) continue
    // The text must not begin within a surrogate pair.
    const start = at <= lead * 2 ? 0 : Math.max(0, at - lead)
    const begin = start > 0 && /^[\udc00-\udfff]/.test(text.slice(start)) ? start + 1 : start
    const line = text
      .slice(begin, begin + maxLength)
      .trim()
      .replaceAll(/\s+/g, " ")
    return begin === 0 ? line : `…${line}`
  }
  return undefined
}

export const Marked = ({ text }: { readonly text: string }) => {
  const pattern = useSearch()
  if (pattern === undefined) return <>{text}</>
  const parts = []
  let end = 0
  for (const match of text.matchAll(new RegExp(pattern, "gu"))) {
    parts.push(text.slice(end, match.index), <mark key={match.index}>{match[0]}</mark>)
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return <>{parts}</>
}
