import { makeStore } from "../../store/makeStore.ts"
import type { ManyChoice } from "../actions/action.ts"
import type { Summary } from "./summary.ts"

/** A run in progress, or a finished run whose result was not closed yet. */
export interface BulkRun {
  /** Nobody else in the same tab sees the run. */
  readonly owner: string
  readonly choice: ManyChoice
  readonly total: number
  readonly settled: number
  /** Stops further requests. The function also identifies the run. */
  readonly stop: () => void
  /** Undefined while in progress. */
  readonly summary: Summary | undefined
}

/** Outlives the page, so a log-in loses nothing. */
export const bulkRun = makeStore<BulkRun | undefined>(undefined)

export const stopRun = () => bulkRun.get()?.stop()

export const dropRun = () => {
  stopRun()
  bulkRun.set(undefined)
}
