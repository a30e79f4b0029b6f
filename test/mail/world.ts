import { Array as Arr, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { PostId, type WorkspaceId } from "../../src/domain/ids.ts"
import type { MailSettings } from "../../src/domain/mail/mailSettings.ts"
import type { Duration } from "effect"
import { MailDeliverer } from "../../src/mail/MailDeliverer.ts"
import { dispatchNotifications } from "../../src/mail/deliveryFibers.ts"
import { smtpLayer } from "../../src/mail/smtp.ts"
import type { NewNotification } from "../../src/repo/notifications/notifications.ts"
import { SendsMail } from "../../src/repo/notifications/SendsMail.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

/** A database of a service that sends mail. */
export const mailRepoLayer = Layer.provide(repoLayer, Layer.succeed(SendsMail, true))

const baseUrl = "https://posts.example"

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: PostId })))

/** Failed posts with this text. */
const makeFailedPosts = Effect.fn("makeFailedPosts")(function* (workspaceId: WorkspaceId, count: number) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`
    INSERT INTO posts (id, workspace_id, status, content, scheduled_at, tags, platform_overrides, platform_settings, created_at)
    SELECT gen_random_uuid(), ${workspaceId}::uuid, 'failed', 'Hello', now(), '{}', '{}', '{}', now()
    FROM generate_series(1, ${count}::int) RETURNING id`
  return (yield* decodeIds(rows)).map(({ id }) => id)
})

const failure = (postId: PostId, message = "“Our new release is out.” – X rejected the text"): NewNotification => ({
  title: "Not published on X",
  message,
  actionUrl: `/posts/${postId}`,
  event: {
    type: "post.failed",
    metadata: { post_id: postId, platform: "twitter", code: "rejected", failures: [] }
  }
})

/** Notifies about failed posts, some in each transaction. Returns the posts. */
export const failPosts = Effect.fn("failPosts")(function* (workspaceId: WorkspaceId, count = 1, message?: string) {
  const { events } = yield* Repo
  const posts = yield* makeFailedPosts(workspaceId, count)
  for (const some of Arr.chunksOf(posts, 500)) {
    yield* events.record({
      events: [],
      notifications: some.map((id) => ({ workspaceId, notification: failure(id, message) }))
    })
  }
  return posts
})

/** Runs an effect with a deliverer of its own, which sends to this server. */
export const withDeliverer = <A, E, R>(
  settings: MailSettings,
  effect: Effect.Effect<A, E, R>,
  timeout?: Duration.Duration
) =>
  Effect.flatMap(
    Layer.build(Layer.fresh(Layer.provide(MailDeliverer.layer({ baseUrl }), smtpLayer(settings, timeout)))),
    (context) => Effect.provideContext(effect, context)
  ).pipe(Effect.scoped)

/** Chooses the receivers of what was recorded, and sends what is due. */
export const sendDue = Effect.gen(function* () {
  const deliverer = yield* MailDeliverer
  yield* dispatchNotifications
  yield* Effect.repeat(Effect.tap(deliverer.tick, deliverer.idle), { until: (claimed) => claimed === 0 })
})

const Row = Schema.Struct({
  status: Schema.String,
  attempts: Schema.Int,
  count: Schema.Int,
  type: Schema.String,
  error: Schema.NullOr(Schema.String)
})

/** The deliveries of a workspace, the oldest first. */
export const deliveriesOf = Effect.fn("deliveriesOf")(function* (workspaceId: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT status, attempts, count, type, error FROM notification_deliveries
    WHERE workspace_id = ${workspaceId}::uuid ORDER BY id`
  return yield* Schema.decodeUnknownEffect(Schema.Array(Row))(rows)
})

/** Lets no test see another test's messages. */
export const forgetDeliveries = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.andThen(sql`DELETE FROM notification_deliveries`, sql`DELETE FROM notifications`)
)
