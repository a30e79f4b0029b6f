import { Duration } from "effect"

/** The part of a wait that begins anew for a process that did not run. */
const lastPart = Duration.toMillis(Duration.seconds(1))

/* oxlint-disable no-restricted-globals -- Real time. A timer takes a fifth of the time of a sleeping fiber. */

/**
 * Calls `onEnd` after this many milliseconds of real time, which the network and the server have even if a test has set
 * a clock. Returns a function that stops the timer.
 *
 * A process that did not run for a while, such as on a suspended machine, calls its timers before it reads what has
 * arrived. So `onEnd` is called after the next read: an answer that is there ends the wait first. The last second, or
 * the last half of a shorter wait, is a timer of its own, because an operation may take several answers.
 */
export const startRealTimer = (millis: number, onEnd: () => void): (() => void) => {
  const last = Math.min(lastPart, millis / 2)
  let afterRead: NodeJS.Immediate | undefined
  let timer = setTimeout(() => {
    timer = setTimeout(() => {
      afterRead = setImmediate(onEnd)
    }, last)
  }, millis - last)
  return () => {
    clearTimeout(timer)
    clearImmediate(afterRead)
  }
}
