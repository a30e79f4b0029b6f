import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { failuresToOpen } from "../../domain/webhooks/deliveryPolicy.ts"
import { EventId, smallestIdAt, WebhookId } from "../../domain/ids.ts"
import { forEachWithProgress } from "../../domain/progress.ts"
import { CredentialCipher } from "../integrations/CredentialCipher.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { secretCell } from "./rows.ts"
import { DeliveryBacklog, type Webhooks } from "./Webhooks.ts"

const Secrets = Schema.Struct({
  id: WebhookId,
  secret: Schema.Uint8Array,
  formerSecret: Schema.NullOr(Schema.Uint8Array)
})

/** What concerns the webhooks of all workspaces: their backlog, the encryption key, and what was kept long enough. */
export const makeMaintenance = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher

  const findBacklog = SqlSchema.findOne({
    Request: Schema.Struct({}),
    Result: DeliveryBacklog,
    execute: () => sql`
      SELECT (SELECT count(*)::int FROM webhooks WHERE disabled_reason IS NULL AND due_at <= clock_timestamp()) AS webhooks,
        (SELECT min(greatest(due_at, 'epoch')) FROM webhooks WHERE disabled_reason IS NULL AND due_at <= clock_timestamp()) AS oldest,
        (SELECT greatest(least(created_at, clock_timestamp()), 'epoch') FROM events WHERE position IS NULL AND audience = 'webhooks' ORDER BY id LIMIT 1) AS undispatched,
        (SELECT count(*)::int FROM webhooks
          WHERE disabled_reason IS NULL AND failures >= ${failuresToOpen}::int) AS "openCircuits"`
  })

  const backlog: Webhooks["backlog"] = findBacklog({}).pipe(
    Effect.catchTag("NoSuchElementError", Effect.die),
    withDatabaseTimeout("counting the backlog of deliveries"),
    Effect.withSpan("Repo.webhooks.backlog")
  )

  const findSecrets = SqlSchema.findAll({
    Request: Schema.NullOr(WebhookId),
    Result: Secrets,
    execute: (id) => sql`
      SELECT id, secret, former_secret AS "formerSecret" FROM webhooks
      WHERE deleted_at IS NULL AND id = coalesce(${id}::uuid, id) ${sql.literal(id === null ? "" : "FOR NO KEY UPDATE")}`
  })

  const writeSecrets = SqlSchema.void({
    Request: Secrets,
    execute: ({ formerSecret, id, secret }) => sql`
      UPDATE webhooks SET secret = ${secret}::bytea, former_secret = ${formerSecret}::bytea WHERE id = ${id}::uuid`
  })

  const isCurrent = ({ formerSecret, secret }: typeof Secrets.Type) =>
    cipher.isCurrent(secret) && (formerSecret === null || cipher.isCurrent(formerSecret))

  const reencryptOne = ({ id }: { readonly id: WebhookId }) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const [stored] = yield* findSecrets(id)
          if (stored === undefined) return
          const renew = (sealed: Uint8Array) =>
            Effect.flatMap(cipher.open(secretCell(id), sealed), (secret) => cipher.seal(secretCell(id), secret))
          yield* writeSecrets({
            id,
            secret: yield* renew(stored.secret),
            formerSecret: stored.formerSecret === null ? null : yield* renew(stored.formerSecret)
          })
        })
      )
      .pipe(withDatabaseTimeout("re-encrypting secrets"))

  const reencrypt: Webhooks["reencrypt"] = Effect.gen(function* () {
    const stored = yield* findSecrets(null).pipe(withDatabaseTimeout("finding secrets"))
    const outdated = stored.filter((secrets) => !isCurrent(secrets))
    yield* forEachWithProgress({ title: "Re-encrypting", unit: "secrets of webhooks" }, outdated, reencryptOne)
    return outdated.length
  }).pipe(Effect.withSpan("Repo.webhooks.reencrypt"))

  const deleteOld = SqlSchema.findAll({
    Request: Schema.Struct({ id: Schema.String, time: Timestamp, limit: Schema.Int }),
    Result: Schema.Struct({ id: EventId }),
    // Events of the index's beginning may have been queued again since.
    execute: ({ id, limit, time }) => sql`
      DELETE FROM webhook_deliveries d USING (
        (SELECT event_id, webhook_id FROM webhook_deliveries WHERE event_id < ${id}::uuid AND queued_at < ${time}::timestamptz
          ORDER BY event_id LIMIT ${limit}::int)
        UNION ALL
        (SELECT event_id, webhook_id FROM webhook_deliveries
          WHERE webhook_id = (SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1)
          LIMIT ${limit}::int)
        LIMIT ${limit}::int) old
      WHERE d.event_id = old.event_id AND d.webhook_id = old.webhook_id
      RETURNING d.event_id AS id`
  })

  const deleteEmptied = SqlSchema.findOneOption({
    Request: Schema.Struct({}),
    Result: Schema.Struct({ id: WebhookId }),
    execute: () => sql`
      DELETE FROM webhooks WHERE id = (SELECT id FROM webhooks WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT 1)
        AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = webhooks.id)
      RETURNING id`
  })

  const removeDeliveriesBefore: Webhooks["removeDeliveriesBefore"] = Effect.fn("Repo.webhooks.removeDeliveriesBefore")(
    (time, limit) =>
      Effect.gen(function* () {
        const removed = yield* deleteOld({ id: smallestIdAt(time), time, limit })
        // The next call goes on with the next webhook that was deleted.
        const emptied = removed.length < limit ? yield* deleteEmptied({}) : Option.none()
        return Option.isSome(emptied) ? limit : removed.length
      }).pipe(withDatabaseTimeout("deleting old deliveries"))
  )

  return { backlog, reencrypt, removeDeliveriesBefore } satisfies Pick<
    Webhooks,
    "backlog" | "reencrypt" | "removeDeliveriesBefore"
  >
})
