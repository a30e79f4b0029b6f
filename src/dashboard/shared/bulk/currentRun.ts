import { makeStore } from "../../store/makeStore.ts"
import type { ManyChoice } from "../actions/action.ts"
import type { Summary } from "./summary.ts"

/** An action on many posts that is under way, or whose outcome nobody has put away yet. */
export interface BulkRun {
  /** Who began it: another person in the same tab sees nothing of it. */
  readonly owner: string
  readonly choice: ManyChoice
  readonly total: number
  readonly settled: number
  /** Sends nothing more. The same for as long as the run is. */
  readonly stop: () => void
  /** Undefined while it is under way. */
  readonly summary: Summary | undefined
}

/** It outlives the page that began it, so that a log-in in between loses nothing. */
export const bulkRun = makeStore<BulkRun | undefined>(undefined)

export const stopRun = () => {
  bulkRun.get()?.stop()
}

/** Stops a run, and forgets what became of it. */
export const dropRun = () => {
  stopRun()
  bulkRun.set(undefined)
}
