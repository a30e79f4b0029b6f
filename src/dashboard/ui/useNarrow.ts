import { useEffect, useState } from "preact/hooks"

/** Whether the window fits a media query. */
export const useMedia = (query: MediaQueryList): boolean => {
  const [fits, setFits] = useState(query.matches)
  useEffect(() => {
    const follow = () => {
      setFits(query.matches)
    }
    follow()
    query.addEventListener("change", follow)
    return () => {
      query.removeEventListener("change", follow)
    }
  }, [query])
  return fits
}

const narrow = window.matchMedia("(width < 720px)")

/** Whether the window is as narrow as a phone: what the style sheets call `width < 720px`. */
export const useNarrow = (): boolean => useMedia(narrow)
