import { Effect, Option, Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { failuresToOpen } from "../../domain/webhooks/deliveryPolicy.ts"
import type { CredentialsUnreadable } from "../../domain/errors.ts"
import { EventId, smallestIdAt, WebhookId } from "../../domain/ids.ts"
import { CredentialCipher } from "../integrations/CredentialCipher.ts"
import { reencryptEach } from "../integrations/reencrypted.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { secretCell } from "./rows.ts"
import { makeSealedUrls, type SealedUrl, StoredUrl, storedUrlColumns } from "./sealedUrls.ts"
import { DeliveryBacklog, type Webhooks } from "./Webhooks.ts"

const noUrl = { sealedUrl: null, maskedUrl: null }

const Sealed = Schema.Struct({
  id: WebhookId,
  ...StoredUrl.fields,
  secret: Schema.Uint8Array,
  formerSecret: Schema.NullOr(Schema.Uint8Array)
})

export const makeMaintenance = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const urls = yield* makeSealedUrls

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

  const findSealed = SqlSchema.findAll({
    Request: Schema.NullOr(WebhookId),
    Result: Sealed,
    execute: (id) => sql`
      SELECT id, ${sql.literal(storedUrlColumns)}, secret,
        former_secret AS "formerSecret"
      FROM webhooks
      WHERE deleted_at IS NULL AND id = coalesce(${id}::uuid, id) ${sql.literal(id === null ? "" : "FOR NO KEY UPDATE")}`
  })

  const writeSealed = SqlSchema.void({
    Request: Schema.Struct({
      id: WebhookId,
      sealedUrl: Schema.NullOr(Schema.Uint8Array),
      maskedUrl: Schema.NullOr(Schema.String),
      secret: Schema.Uint8Array,
      formerSecret: Schema.NullOr(Schema.Uint8Array)
    }),
    execute: ({ formerSecret, id, maskedUrl, sealedUrl, secret }) => sql`
      UPDATE webhooks SET sealed_url = coalesce(${sealedUrl}::bytea, sealed_url), masked_url = coalesce(${maskedUrl}, masked_url), secret = ${secret}::bytea,
        former_secret = ${formerSecret}::bytea
      WHERE id = ${id}::uuid`
  })

  const isCurrent = ({ formerSecret, sealedUrl, secret }: typeof Sealed.Type) =>
    sealedUrl !== null &&
    [sealedUrl, secret, ...(formerSecret === null ? [] : [formerSecret])].every((value) => cipher.isCurrent(value))

  /** If a value can't be decrypted, re-encrypts the others and then fails. */
  const reencryptOne = Effect.fnUntraced(
    function* (id: WebhookId) {
      const [stored] = yield* findSealed(id)
      if (stored === undefined) return undefined
      let unreadable: CredentialsUnreadable | undefined
      const orAsStored =
        <A>(asStored: A) =>
        (renewed: Effect.Effect<A, CredentialsUnreadable>) =>
          Effect.catch(renewed, (error) => {
            unreadable = error
            return Effect.succeed(asStored)
          })
      const renew = (sealed: Uint8Array) =>
        Effect.flatMap(cipher.open(secretCell(id), sealed), (secret) => cipher.seal(secretCell(id), secret)).pipe(
          orAsStored(sealed)
        )
      const url = Effect.flatMap(urls.open(id, stored), (opened) => urls.seal(id, Redacted.value(opened)))
      yield* writeSealed({
        id,
        ...(yield* url.pipe(orAsStored<typeof SealedUrl.Type | typeof noUrl>(noUrl))),
        secret: yield* renew(stored.secret),
        formerSecret: stored.formerSecret === null ? null : yield* renew(stored.formerSecret)
      })
      return unreadable
    },
    sql.withTransaction,
    withDatabaseTimeout("re-encrypting webhooks"),
    Effect.flatMap((unreadable) => (unreadable === undefined ? Effect.void : Effect.fail(unreadable)))
  )

  const reencrypt: Webhooks["reencrypt"] = Effect.gen(function* () {
    const stored = yield* findSealed(null).pipe(withDatabaseTimeout("finding webhooks to re-encrypt"))
    const outdated = stored.filter((webhook) => !isCurrent(webhook))
    return yield* reencryptEach("webhooks", outdated, reencryptOne)
  }).pipe(Effect.withSpan("Repo.webhooks.reencrypt"))

  const deleteOld = SqlSchema.findAll({
    Request: Schema.Struct({ id: Schema.String, time: Timestamp, limit: Schema.Int }),
    Result: Schema.Struct({ id: EventId }),
    // Events at the beginning of the index may have been queued again, so `queued_at` decides too.
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
        const emptied = removed.length < limit ? yield* deleteEmptied({}) : Option.none()
        return Option.isSome(emptied) ? limit : removed.length
      }).pipe(withDatabaseTimeout("deleting old deliveries"))
  )

  return { backlog, reencrypt, removeDeliveriesBefore } satisfies Pick<
    Webhooks,
    "backlog" | "reencrypt" | "removeDeliveriesBefore"
  >
})
