import { useEffect, useState } from "preact/hooks"

/** Counts down to a time by the browser's clock, in whole seconds; 0 for none. */
export const useCountdown = (until: number | undefined): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (until === undefined) return
    setNow(Date.now())
    const timer = setInterval(() => {
      setNow(Date.now())
    }, 1000)
    return () => {
      clearInterval(timer)
    }
  }, [until])
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / 1000))
}
