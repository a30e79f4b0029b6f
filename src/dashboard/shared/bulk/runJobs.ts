import type { PostJson } from "../../api/postStatus.ts"
import { type Failure, hasStatus } from "../../api/errors.ts"
import type { Job, Refusal, SendOutcome } from "../actions/action.ts"

export type JobResult =
  | { readonly state: "done"; readonly job: Job; readonly post: PostJson | undefined }
  | (Refusal & { readonly state: "refused"; readonly job: Job })
  /** The run was stopped, or the connection or the session was lost. */
  | { readonly state: "unsent"; readonly job: Job }

export interface RunOptions {
  /** Never throws. */
  readonly send: (job: Job) => Promise<SendOutcome>
  /** Resolves when the service accepts requests again, or when the run is stopped. */
  readonly untilTaken: (seconds: number, signal: AbortSignal) => Promise<void>
  readonly isOwn: () => boolean
  readonly onSettled: (count: number) => void
  readonly signal: AbortSignal
}

export const atOnce = 4
/** The most attempts for a job that the service refuses with 429. */
const maxTries = 5

const endsRun = (error: Failure): boolean => error._tag === "ConnectionError" || hasStatus(error, 401)

/**
 * Sends jobs, a few concurrently, until all are settled, the run is stopped, somebody else is logged in, or further
 * jobs would fail. Results keep the order.
 */
export const runJobs = async (
  jobs: ReadonlyArray<Job>,
  { isOwn, onSettled, send, signal, untilTaken }: RunOptions
): Promise<ReadonlyArray<JobResult>> => {
  const results = new Map<Job, JobResult>()
  let next = 0
  let isOver = false

  const settle = async (job: Job): Promise<JobResult> => {
    for (let tries = 1; !isOver && !signal.aborted && isOwn(); tries++) {
      const outcome = await send(job)
      if (outcome.ok) return { state: "done", job, post: outcome.data }
      const { current, error } = outcome
      if (!hasStatus(error, 429) || tries === maxTries) {
        isOver ||= endsRun(error)
        return { state: "refused", job, error, current }
      }
      await untilTaken(error._tag === "ApiError" ? (error.retryAfter ?? 1) : 1, signal)
    }
    return { state: "unsent", job }
  }

  const work = async () => {
    for (let job = jobs[next]; job !== undefined; job = jobs[next]) {
      next += 1
      results.set(job, await settle(job))
      onSettled(results.size)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return jobs.flatMap((job) => results.get(job) ?? [])
}
