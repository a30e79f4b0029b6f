import type { PostJson } from "../../api/postStatus.ts"
import { type Failure, hasStatus } from "../../api/errors.ts"
import type { Job, Refusal, SendOutcome } from "../actions/action.ts"

export type JobResult =
  | { readonly state: "done"; readonly job: Job; readonly post: PostJson | undefined }
  | (Refusal & { readonly state: "refused"; readonly job: Job })
  /** Not sent, because the run was stopped, or the connection or session was lost. */
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
/** The most attempts of a job that the service refuses with a 429. */
const maxTries = 5

const endsRun = (error: Failure): boolean => error._tag === "ConnectionError" || hasStatus(error, 401)

/**
 * Sends several jobs at a time until all are settled, the run is stopped, somebody else logs in, or all further jobs
 * would fail. Results are in the order of the jobs.
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
