import { makeStore } from "../../store/makeStore.ts"
import type { ManyChoice } from "../actions/action.ts"
import type { Summary } from "./summary.ts"

/** A run in progress, or a finished run until its result is closed. */
export interface BulkRun {
  /** The person and workspace of the run. Nobody else in the same tab sees it. */
  readonly owner: string
  readonly choice: ManyChoice
  readonly total: number
  readonly settled: number
  /** Stops further requests. This function also identifies the run. */
  readonly stop: () => void
  /** Undefined while the run is in progress. */
  readonly summary: Summary | undefined
}

/** The run is kept while the person changes pages or logs in again, so that nothing is lost. */
export const bulkRun = makeStore<BulkRun | undefined>(undefined)

export const stopRun = () => bulkRun.get()?.stop()

export const dropRun = () => {
  stopRun()
  bulkRun.set(undefined)
}
