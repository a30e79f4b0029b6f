import { DateTime, Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { AttemptResult } from "../../../src/domain/webhooks/deliveryPolicy.ts"
import type { NewEvent } from "../../../src/domain/webhooks/event.ts"
import { nextPostId, type WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { DeliveryClaim, DeliveryOutcome } from "../../../src/repo/webhooks/Webhooks.ts"

export const someSlots = { limit: 64, strained: 16 }
export const lease = Duration.seconds(45)

/** Records the smallest events, which are deletions of posts that never existed. Returns the posts' ids. */
export const recordEvents = Effect.fn("recordEvents")(function* (workspaceId: WorkspaceId, count: number) {
  const { events } = yield* Repo
  const posts = yield* Effect.replicateEffect(nextPostId, count)
  yield* events.record({
    events: posts.map((post_id) => ({
      workspaceId,
      event: { type: "post.deleted", data: { post_id } } satisfies NewEvent
    })),
    notifications: []
  })
  return posts
})

/** Returns the webhook's id and secret. */
export const makeWebhook = Effect.fn("makeWebhook")(function* (
  workspaceId: WorkspaceId,
  url = "https://hooks.example/a"
) {
  const { webhooks } = yield* Repo
  const { secret, webhook } = yield* webhooks.create(workspaceId, { url, description: null, events: null })
  return { id: webhook.id, secret }
})

/** The result of an attempt; null for no response. */
export const aResult = (status: number | null, changes: Partial<AttemptResult> = {}): AttemptResult => ({
  status,
  error: status === null ? "The connection was refused" : null,
  duration: Duration.millis(5),
  response: "",
  retryAfter: null,
  ...changes
})

export const settleAs = Effect.fn("settleAs")(function* (claims: ReadonlyArray<DeliveryClaim>, result: AttemptResult) {
  const { webhooks } = yield* Repo
  const endedAt = yield* DateTime.now
  return yield* webhooks.settle(claims.map((claim): DeliveryOutcome => ({ claim, result, endedAt, jitter: 0.5 })))
})

/** Lets no test see another test's deliveries. */
export const deleteWebhooks = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(sql`DELETE FROM webhooks`, sql`DELETE FROM events`)
)
