import { useLayoutEffect } from "preact/hooks"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { formatClock, formatExact, formatFixedTime, formatTime, formatTimeInSentence } from "./time.ts"

const now = makeStore(new Date())
const tickMillis = 15_000
let followers = 0
let timer: ReturnType<typeof setInterval> | undefined

// Updates the time when a page is shown again, because timers are slow on hidden pages and stop while the machine
// sleeps.
document.addEventListener("visibilitychange", () => now.set(new Date()))

/** Updated a few times a minute. All components share one timer. */
export const useNow = (): Date => {
  // The timer is off while no time is shown.
  if (timer === undefined) now.set(new Date())
  useLayoutEffect(() => {
    followers += 1
    timer ??= setInterval(() => now.set(new Date()), tickMillis)
    return () => {
      followers -= 1
      if (followers > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }, [])
  return useStore(now)
}

export interface TimeProps {
  /** A time in the API's format. */
  readonly at: string
  /**
   * `people`: relative or short. `sentence`: the same within a sentence. `fixed`: day and time within a sentence.
   * `clock`: without the day. `exact`: complete, with the zone.
   */
  readonly as?: "people" | "sentence" | "fixed" | "clock" | "exact"
}

/** On hover, shows the exact time with its zone. */
export const Time = ({ as = "people", at }: TimeProps) => {
  const current = useNow()
  const date = new Date(at)
  const exact = formatExact(date)
  const text = {
    people: () => formatTime(date, current),
    fixed: () => formatFixedTime(date, current),
    sentence: () => formatTimeInSentence(date, current),
    clock: () => formatClock(date),
    exact: () => exact
  }[as]()
  return (
    <time class="time" dateTime={at} title={exact}>
      {text}
    </time>
  )
}
