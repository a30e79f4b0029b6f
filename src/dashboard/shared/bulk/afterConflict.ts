import type { Post } from "../../../domain/posts/post.ts"
import type { Failure, Outcome } from "../../api/errors.ts"
import { hasChange, type Job } from "./plan.ts"
import type { SendOutcome } from "./runJobs.ts"

/**
 * What came of a job whose post is of another revision, by the post as it was read after that. Who repeats what may have been
 * carried out is told of another revision that is their own. Without the post the job ends as the reading did: it is gone, or
 * the job is sent again later, as its revision would be refused for good.
 */
export const afterConflict = (
  job: Job,
  conflict: { readonly ok: false; readonly error: Failure },
  found: Outcome<typeof Post.Encoded>,
  mayBeDone: boolean
): SendOutcome => {
  if (!found.ok || (mayBeDone && hasChange(found.data, job.request))) return found
  return { ...conflict, current: found.data }
}
