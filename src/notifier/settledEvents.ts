import type { NewEvent } from "../domain/event.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { EndedTarget, SettledPost } from "../repo/targets/Targets.ts"

interface Recorded {
  readonly workspaceId: WorkspaceId
  readonly event: NewEvent
}

/** The event of an attempt that has ended; none where the post or the target is gone. */
const eventOfAttempt = ({ claim, settlement }: EndedTarget, post: SettledPost | undefined): NewEvent | undefined => {
  const { attempts, integration, platform } = claim
  const target = post?.targets.find((each) => each.platform === platform)
  if (post === undefined || target === undefined) return undefined
  const common = { post_id: post.postId, integration_id: integration.id, platform, status: target.status }
  switch (settlement._tag) {
    case "Published":
      return { type: "post.target.published", data: { ...common, url: target.url } }
    case "Failed": {
      const { code, retryable } = settlement.error
      return { type: "post.target.failed", data: { ...common, error_code: code, retryable } }
    }
    case "Retry": {
      const data = { ...common, attempt: attempts, error_code: settlement.error.code, retry_at: settlement.at }
      return { type: "post.target.retried", data }
    }
  }
}

/** The event of a post that has ended; none where it has not. A platform's own words stay out: they may repeat the text. */
const eventOfEnd = ({ postId: post_id, status, targets }: SettledPost): NewEvent | undefined => {
  if (status !== "published" && status !== "failed") return undefined
  const ends = targets.map((target) => ({
    platform: target.platform,
    status: target.status,
    url: target.url,
    error_code: target.error?.code ?? null
  }))
  return { type: `post.${status}`, data: { post_id, status, targets: ends } }
}

/** What is recorded of settlements, and of the posts as they left them. */
export const eventsOfSettlements = (
  posts: ReadonlyArray<SettledPost>,
  settled: ReadonlyArray<EndedTarget>
): ReadonlyArray<Recorded> => {
  const byId = new Map(posts.map((post) => [post.postId, post]))
  return [
    ...settled.map((each) => [each.claim.workspaceId, eventOfAttempt(each, byId.get(each.claim.postId))] as const),
    ...posts.map((post) => [post.workspaceId, eventOfEnd(post)] as const)
  ].flatMap(([workspaceId, event]) => (event === undefined ? [] : [{ workspaceId, event }]))
}
