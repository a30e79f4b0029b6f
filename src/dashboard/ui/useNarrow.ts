import { useEffect, useState } from "preact/hooks"

const narrow = window.matchMedia("(width < 720px)")

/** Whether the window is as narrow as a phone: what the style sheets call `width < 720px`. */
export const useNarrow = (): boolean => {
  const [isNarrow, setNarrow] = useState(narrow.matches)
  useEffect(() => {
    const follow = () => {
      setNarrow(narrow.matches)
    }
    follow()
    narrow.addEventListener("change", follow)
    return () => {
      narrow.removeEventListener("change", follow)
    }
  }, [])
  return isNarrow
}
