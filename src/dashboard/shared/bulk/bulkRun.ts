import { newIdempotencyKey, request } from "../../api/client.ts"
import { pausedUntil, untilResumed } from "../../api/pause.ts"
import { approvePost, deletePost, updatePost } from "../../api/postActions.ts"
import { onePost, type OnePostJson, type PostJson } from "../../api/posts.ts"
import { invalidate } from "../../api/query.ts"
import type { Outcome } from "../../api/errors.ts"
import { formatEtag } from "../../../domain/plain/posts.ts"
import { makeStore } from "../../store/makeStore.ts"
import type { BulkAction, Job } from "./plan.ts"
import { type JobResult, runJobs } from "./runJobs.ts"
import { selection, withNewer, withoutPosts } from "./selection.ts"
import { summarize, type Summary } from "./summary.ts"

/** An action on many posts that is under way, or whose outcome nobody has put away yet. */
export interface BulkRun {
  /** Who began it: another person in the same tab sees nothing of it. */
  readonly owner: string
  readonly action: BulkAction
  readonly total: number
  readonly settled: number
  readonly stop: () => void
  /** Undefined while it is under way. */
  readonly summary: Summary | undefined
}

/** It outlives the page that began it, so that a log-in in between loses nothing. */
export const bulkRun = makeStore<BulkRun | undefined>(undefined)

/** Of a job, so that its repetition approves once. */
const keys = new WeakMap<Job, string>()

const keyOf = (job: Job): string => {
  const key = keys.get(job) ?? newIdempotencyKey()
  keys.set(job, key)
  return key
}

const postIn = (outcome: Outcome<OnePostJson>): Outcome<PostJson> =>
  outcome.ok ? { ok: true, data: outcome.data.data } : outcome

const send = async (job: Job): Promise<Outcome<PostJson | undefined>> => {
  const { post, request: change } = job
  switch (change.kind) {
    case "delete": {
      const outcome = await deletePost(post)
      return outcome.ok ? { ok: true, data: undefined } : outcome
    }
    case "approve":
      return postIn(await approvePost(post.id, { revision: post.revision }, keyOf(job)))
    case "change":
      return postIn(await updatePost(post.id, change.body, formatEtag(post)))
  }
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

/** What somebody else has made of posts, so that they can be changed as they are by now. */
const loadChanged = async (ids: ReadonlyArray<string>) => {
  for (const id of ids) {
    const outcome = await request<OnePostJson>("GET", onePost(id).path)
    if (outcome.ok) selection.set(withNewer(selection.get(), [outcome.data.data], false))
  }
}

const keep = (results: ReadonlyArray<JobResult>, { changed, gone }: Summary) => {
  const removed = results
    .filter(({ job, state }) => state === "done" && job.request.kind === "delete")
    .map(({ job }) => job.post.id)
  const own = results.flatMap((result) => (result.state === "done" && result.post !== undefined ? [result.post] : []))
  selection.set(withoutPosts(withNewer(selection.get(), own, true), new Set([...gone, ...removed])))
  void loadChanged(changed)
}

/** Does to many posts what was planned. Resolves with the outcome. */
export const startRun = async (action: BulkAction, jobs: ReadonlyArray<Job>) => {
  const stopper = new AbortController()
  const { owner } = selection.get()
  const show = (settled: number, summary: Summary | undefined) => {
    bulkRun.set({
      owner,
      action,
      total: jobs.length,
      settled,
      stop: () => {
        stopper.abort()
      },
      summary
    })
  }
  show(0, undefined)
  const results = await runJobs(jobs, {
    send,
    untilTaken,
    signal: stopper.signal,
    onSettled: (count) => {
      show(count, undefined)
    }
  })
  const summary = summarize(results)
  keep(results, summary)
  invalidate("/v1/posts")
  show(jobs.length, summary)
  return summary
}

export const putAway = () => {
  bulkRun.set(undefined)
}
