import { isUnconfirmed } from "../../api/errors.ts"
import { pausedUntil, untilResumed } from "../../api/pause.ts"
import { invalidate } from "../../api/query.ts"
import type { Job, ManyChoice, SendOutcome } from "../actions/action.ts"
import { send } from "../actions/send.ts"
import { afterRepetition } from "./afterRepetition.ts"
import { bulkRun, stopRun } from "./currentRun.ts"
import { type JobResult, runJobs } from "./runJobs.ts"
import { selection, withNewer, withoutPosts } from "./selection.ts"
import { summarize, type Summary } from "./summary.ts"

const unconfirmed = new WeakSet<Job>()

const sendJob = async (job: Job): Promise<SendOutcome> => {
  const outcome = await send(job)
  if (!outcome.ok && isUnconfirmed(outcome.error)) unconfirmed.add(job)
  return unconfirmed.has(job) ? afterRepetition(job.request, outcome) : outcome
}

const wait = (seconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

const untilTaken = (seconds: number, signal: AbortSignal) =>
  pausedUntil.get() === null ? wait(seconds, signal) : untilResumed(signal)

const keep = (results: ReadonlyArray<JobResult>, { changed, gone }: Summary) => {
  const removed = results
    .filter(({ job, state }) => state === "done" && job.request.kind === "delete")
    .map(({ job }) => job.post.id)
  const own = results.flatMap((result) => (result.state === "done" && result.post !== undefined ? [result.post] : []))
  // Also stores other people's changes, so that a retry sends current revisions.
  const known = withNewer(withNewer(selection.get(), own, true), changed, false)
  selection.set(withoutPosts(known, new Set([...gone, ...removed])))
}

export const isRunning = (owner: string): boolean => {
  const run = bulkRun.get()
  return run?.owner === owner && run.summary === undefined
}

export interface RunStart {
  readonly owner: string
  readonly choice: ManyChoice
  readonly jobs: ReadonlyArray<Job>
  /** True if the session still belongs to the run's owner. */
  readonly isOwn: () => boolean
  readonly before: Summary["done"]
}

/** Resolves with undefined if the person has logged out or changed. */
export const startRun = async ({ before, choice, isOwn, jobs, owner }: RunStart): Promise<Summary | undefined> => {
  const stopper = new AbortController()
  const stop = () => stopper.abort()
  const total = jobs.length
  const stateOf = (settled: number, summary?: Summary) => ({ owner, choice, total, settled, stop, summary })
  const isShown = () => bulkRun.get()?.stop === stop
  // Stops another person's run, which may still wait for its last responses.
  stopRun()
  bulkRun.set(stateOf(0))
  const results = await runJobs(jobs, {
    send: sendJob,
    untilTaken,
    isOwn,
    signal: stopper.signal,
    onSettled: (count) => {
      if (isShown()) bulkRun.set(stateOf(count))
    }
  })
  invalidate("/v1/posts")
  if (!isShown()) return undefined
  const summary = summarize(results, before)
  // Keeps the result for its owner, who may log in again.
  bulkRun.set(summary.left.length === 0 ? undefined : stateOf(total, summary))
  if (!isOwn()) return undefined
  keep(results, summary)
  return summary
}
