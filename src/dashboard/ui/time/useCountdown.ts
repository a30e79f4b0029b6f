import { useEffect, useState } from "preact/hooks"

/** The whole seconds left, by the browser's clock; 0 without `until`. */
export const useCountdown = (until: number | undefined): number => {
  const [, render] = useState(0)
  useEffect(() => {
    if (until === undefined) return
    const timer = setInterval(() => render((count) => count + 1), 1000)
    return () => clearInterval(timer)
  }, [until])
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000))
}
