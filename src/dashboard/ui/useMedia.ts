import { useEffect, useState } from "preact/hooks"

export const useMedia = (query: MediaQueryList): boolean => {
  const [fits, setFits] = useState(query.matches)
  useEffect(() => {
    const follow = () => setFits(query.matches)
    follow()
    query.addEventListener("change", follow)
    return () => query.removeEventListener("change", follow)
  }, [query])
  return fits
}
