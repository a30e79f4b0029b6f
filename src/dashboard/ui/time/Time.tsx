import { useLayoutEffect } from "preact/hooks"
import { makeStore } from "../../store/makeStore.ts"
import { useStore } from "../../store/useStore.ts"
import { formatClock, formatDay, formatExact, formatFixedTime, formatTime, formatTimeInSentence } from "./time.ts"

const now = makeStore(new Date())
const tickMillis = 15_000
let followers = 0
let timer: ReturnType<typeof setInterval> | undefined

// Browsers slow the timers of hidden pages down, and those of a machine that sleeps stand still.
document.addEventListener("visibilitychange", () => {
  now.set(new Date())
})

/** The current time, a few times a minute. All who follow it share one timer. */
export const useNow = (): Date => {
  // While no time was shown, nobody kept it up to date.
  if (timer === undefined) now.set(new Date())
  useLayoutEffect(() => {
    followers += 1
    timer ??= setInterval(() => {
      now.set(new Date())
    }, tickMillis)
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
  /** The instant, as the API writes it. */
  readonly at: string
  /** `people`: as people say it. `sentence`: so, but after other words. `fixed`: the day and the time after other words. `day`, `clock`: that part. `exact`: whole, with the zone. */
  readonly as?: "people" | "sentence" | "fixed" | "day" | "clock" | "exact"
}

/** A time, with the exact one and its zone on hover. */
export const Time = ({ as = "people", at }: TimeProps) => {
  const current = useNow()
  const date = new Date(at)
  const exact = formatExact(date)
  const text = {
    people: () => formatTime(date, current),
    fixed: () => formatFixedTime(date, current),
    sentence: () => formatTimeInSentence(date, current),
    day: () => formatDay(date, current),
    clock: () => formatClock(date),
    exact: () => exact
  }[as]()
  return (
    <time class="time" dateTime={at} title={exact}>
      {text}
    </time>
  )
}
