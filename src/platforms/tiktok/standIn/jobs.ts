import { keepNewest } from "../../../sandbox/media/files.ts"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"

export interface Processing {
  /** In milliseconds. */
  readonly ms?: number | undefined
  /** The reason of the failure, in TikTok's words. */
  readonly error?: string | undefined
}

/** An upload, and what becomes of it. */
export interface Job {
  readonly publishId: string
  readonly account: SandboxAccount
  readonly title: string
  readonly privacy: string
  readonly size: number
  readonly chunk: number
  readonly count: number
  readonly begunAt: number
  readonly chunks: Array<Uint8Array>
  received: number
  /** Set once all bytes have arrived. */
  sent?: {
    readonly at: number
    readonly postId: string
    readonly processing: Processing
    /** The time from the end of the processing until the id is told. */
    readonly idAfter: number
  }
}

const maxJobs = 10_000

export const makeJobs = () => {
  const jobs = new Map<string, Job>()
  return {
    get: (id: string): Job | undefined => jobs.get(id),
    put: (id: string, job: Job) => keepNewest(jobs, maxJobs, id, job),
    remove: (id: string) => jobs.delete(id),
    /** The number of videos that an account has sent since a time. */
    sentSince: (accountId: string, time: number): number =>
      [...jobs.values()].filter(({ account, sent }) => account.id === accountId && sent !== undefined && sent.at > time)
        .length
  }
}

export type Jobs = ReturnType<typeof makeJobs>
