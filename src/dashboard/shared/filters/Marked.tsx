import { createContext } from "preact"
import { useContext, useEffect, useMemo, useState } from "preact/hooks"
import type { makeSearch, Search } from "./makeSearch.ts"

const SearchContext = createContext<Search | undefined>(undefined)
export const SearchProvider = SearchContext.Provider
export const useSearch = () => useContext(SearchContext)

let loaded: typeof makeSearch | undefined

/** Undefined without a text, and until the code of searches has loaded. */
export const useSearchOf = (text: string | undefined): Search | undefined => {
  const [make, setMake] = useState(() => loaded)
  const isNeeded = text !== undefined && make === undefined
  useEffect(() => {
    if (!isNeeded) return
    const load = async () => {
      const code = await import("./makeSearch.ts")
      loaded = code.makeSearch
      setMake(() => code.makeSearch)
    }
    // Without this code, the results of the service are shown without marks.
    load().catch(() => undefined)
  }, [isNeeded])
  return useMemo(() => (text === undefined || make === undefined ? undefined : make(text)), [text, make])
}

export const Marked = ({ text }: { readonly text: string }) => {
  const search = useSearch()
  if (search === undefined) return <>{text}</>
  const parts = []
  let end = 0
  for (const match of text.matchAll(new RegExp(search.any, "gu"))) {
    parts.push(text.slice(end, match.index), <mark key={match.index}>{match[0]}</mark>)
    end = match.index + match[0].length
  }
  parts.push(text.slice(end))
  return <>{parts}</>
}
