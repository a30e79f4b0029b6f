import type { PostJson } from "../../api/postStatus.ts"
import type { Job, Known, ManyChoice } from "../actions/action.ts"

export interface Skipped {
  readonly post: PostJson
  readonly why: string
}

export interface BulkPlan {
  readonly jobs: ReadonlyArray<Job>
  readonly skipped: ReadonlyArray<Skipped>
}

export const planChoice = (posts: ReadonlyArray<Known>, choice: ManyChoice, now: Date): BulkPlan => {
  const jobs: Array<Job> = []
  const skipped: Array<Skipped> = []
  for (const known of posts) {
    const { post } = known
    const request = choice.skip?.(known, now) ?? choice.request(post, now)
    if (typeof request === "string") skipped.push({ post, why: request })
    else jobs.push({ post, request })
  }
  return { jobs, skipped }
}
