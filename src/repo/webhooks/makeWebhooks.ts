import { DateTime, Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import { NotFound } from "../../domain/errors.ts"
import { WebhookEventType } from "../../domain/webhooks/event.ts"
import { nextWebhookId, WebhookId, WorkspaceId } from "../../domain/ids.ts"
import { maxWebhooks, tooManyWebhooks, Webhook } from "../../domain/webhooks/webhook.ts"
import { CredentialCipher } from "../integrations/CredentialCipher.ts"
import { makeAuthority } from "../people/authority.ts"
import { AuthorIds, authorIds } from "../postgres/author.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeClaimDeliveries } from "./claim.ts"
import { makeDeliveries } from "./deliveries.ts"
import { makeMaintenance } from "./maintenance.ts"
import { makeRequeue } from "./queue.ts"
import { secretCell, unknownWebhook, webhookColumns } from "./rows.ts"
import { makeSettleDeliveries } from "./settle.ts"
import type { Webhooks } from "./Webhooks.ts"

/** The length of a secret in bytes; Standard Webhooks asks for 24 to 64. */
const secretLength = 32

const WebhookKey = Schema.Struct({ workspaceId: WorkspaceId, id: WebhookId })

export const makeWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace
  const cipher = yield* CredentialCipher
  const random = yield* SecureRandom.SecureRandom
  const requeue = yield* makeRequeue
  const columns = webhookColumns(sql)

  const nextSecret = Effect.map(Effect.orDie(random.randomBytes(secretLength)), (bytes) =>
    Redacted.make(`whsec_${Base64.encode(bytes)}`)
  )

  // The lock serializes creations, so that no two of them count the same webhooks.
  const countOwn = SqlSchema.findOne({
    Request: WorkspaceId,
    Result: Schema.Struct({ count: Schema.Int }),
    execute: (workspaceId) => sql`
      SELECT count(*)::int AS count FROM webhooks WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL`
  })
  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      ...WebhookKey.fields,
      url: Schema.String,
      description: Schema.NullOr(Schema.String),
      events: Schema.NullOr(Schema.Array(WebhookEventType)),
      sealed: Schema.Uint8Array,
      ...AuthorIds.fields,
      now: Timestamp
    }),
    Result: Webhook,
    execute: (webhook) => sql`
      INSERT INTO webhooks (id, workspace_id, url, description, events, secret, created_by_key, created_by_user, created_at)
      VALUES (${webhook.id}::uuid, ${webhook.workspaceId}::uuid, ${webhook.url}, ${webhook.description}::text,
        ${webhook.events}::text[], ${webhook.sealed}::bytea, ${webhook.byKey}::uuid, ${webhook.byUser}::uuid,
        ${webhook.now}::timestamptz)
      RETURNING ${columns}`
  })

  const create: Webhooks["create"] = Effect.fn("Repo.webhooks.create")((workspaceId, webhook, by) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          if (!(yield* lockWorkspace(workspaceId))) {
            return yield* new NotFound({ message: `There is no workspace ${workspaceId}` })
          }
          yield* hold(by)
          if ((yield* countOwn(workspaceId)).count >= maxWebhooks) return yield* tooManyWebhooks
          const id = yield* nextWebhookId
          const secret = yield* nextSecret
          const sealed = yield* cipher.seal(secretCell(id), secret)
          const author = authorIds(by?.author)
          const row = { ...webhook, ...author, id, workspaceId, sealed, now: yield* DateTime.now }
          return { webhook: yield* insert(row), secret }
        })
      )
      .pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("creating a webhook"))
  )

  const findAll = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: Webhook,
    execute: (workspaceId) => sql`
      SELECT ${columns} FROM webhooks WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL ORDER BY id DESC`
  })

  const list: Webhooks["list"] = Effect.fn("Repo.webhooks.list")((workspaceId) =>
    findAll(workspaceId).pipe(withDatabaseTimeout("listing webhooks"))
  )

  const findOne = SqlSchema.findOne({
    Request: WebhookKey,
    Result: Webhook,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${columns} FROM webhooks
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND deleted_at IS NULL`
  })

  const get: Webhooks["get"] = Effect.fn("Repo.webhooks.get")((workspaceId, id) =>
    findOne({ workspaceId, id }).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownWebhook),
      withDatabaseTimeout("reading a webhook")
    )
  )

  // What it came to at another URL, or before it was enabled again, says nothing any more.
  const change = SqlSchema.findOne({
    Request: Schema.Struct({
      ...WebhookKey.fields,
      url: Schema.NullOr(Schema.String),
      describes: Schema.Boolean,
      description: Schema.NullOr(Schema.String),
      filters: Schema.Boolean,
      events: Schema.NullOr(Schema.Array(WebhookEventType)),
      enabled: Schema.NullOr(Schema.Boolean)
    }),
    Result: Webhook,
    execute: (patch) => {
      const forgets = sql`(${patch.enabled}::boolean IS TRUE OR coalesce(${patch.url}::text <> url, false))`
      return sql`
        UPDATE webhooks SET url = coalesce(${patch.url}::text, url),
          description = CASE WHEN ${patch.describes}::boolean THEN ${patch.description}::text ELSE description END,
          events = CASE WHEN ${patch.filters}::boolean THEN ${patch.events}::text[] ELSE events END,
          disabled_reason = CASE ${patch.enabled}::boolean WHEN true THEN NULL
            WHEN false THEN coalesce(disabled_reason, 'manual') ELSE disabled_reason END,
          failures = CASE WHEN ${forgets} THEN 0 ELSE failures END,
          failing_since = CASE WHEN NOT ${forgets} THEN failing_since END,
          held_until = CASE WHEN NOT ${forgets} THEN held_until END,
          strained = strained AND NOT ${forgets}
        WHERE workspace_id = ${patch.workspaceId}::uuid AND id = ${patch.id}::uuid AND deleted_at IS NULL
        RETURNING ${columns}`
    }
  })

  const update: Webhooks["update"] = Effect.fn("Repo.webhooks.update")((workspaceId, id, patch) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const changed = yield* change({
            workspaceId,
            id,
            url: patch.url ?? null,
            describes: patch.description !== undefined,
            description: patch.description ?? null,
            filters: patch.events !== undefined,
            events: patch.events ?? null,
            enabled: patch.enabled ?? null
          })
          yield* requeue({ ids: [id], workspaceId, now: yield* DateTime.now })
          return changed
        })
      )
      .pipe(
        Effect.catchTag("NoSuchElementError", () => unknownWebhook),
        withDatabaseTimeout("changing a webhook")
      )
  )

  const markDeleted = SqlSchema.findOne({
    Request: Schema.Struct({ ...WebhookKey.fields, now: Timestamp }),
    Result: Schema.Struct({ id: WebhookId }),
    execute: ({ id, now, workspaceId }) => sql`
      UPDATE webhooks SET deleted_at = ${now}::timestamptz, disabled_reason = 'deleted', due_at = NULL, secret = '',
        former_secret = NULL, former_secret_until = NULL
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND deleted_at IS NULL RETURNING id`
  })

  const remove: Webhooks["remove"] = Effect.fn("Repo.webhooks.remove")(function* (workspaceId, id) {
    yield* markDeleted({ workspaceId, id, now: yield* DateTime.now }).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownWebhook),
      withDatabaseTimeout("deleting a webhook")
    )
  })

  const writeSecret = SqlSchema.findOne({
    Request: Schema.Struct({ ...WebhookKey.fields, sealed: Schema.Uint8Array, formerUntil: Timestamp }),
    Result: Webhook,
    execute: ({ formerUntil, id, sealed, workspaceId }) => sql`
      UPDATE webhooks SET secret = ${sealed}::bytea, former_secret = secret,
        former_secret_until = ${formerUntil}::timestamptz
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND deleted_at IS NULL RETURNING ${columns}`
  })

  const rotateSecret: Webhooks["rotateSecret"] = Effect.fn("Repo.webhooks.rotateSecret")(
    function* (workspaceId, id, overlap) {
      const secret = yield* nextSecret
      const sealed = yield* cipher.seal(secretCell(id), secret)
      const formerUntil = DateTime.addDuration(yield* DateTime.now, overlap)
      const webhook = yield* writeSecret({ workspaceId, id, sealed, formerUntil }).pipe(
        Effect.catchTag("NoSuchElementError", () => unknownWebhook),
        withDatabaseTimeout("rotating a webhook's secret")
      )
      return { webhook, secret }
    }
  )

  const openSecrets: Webhooks["openSecrets"] = ({ formerSecret, secret, webhookId }) =>
    Effect.forEach(formerSecret === null ? [secret] : [secret, formerSecret], (sealed) =>
      cipher.open(secretCell(webhookId), sealed)
    )

  return {
    create,
    list,
    get,
    update,
    remove,
    rotateSecret,
    openSecrets,
    ...(yield* makeDeliveries),
    claim: yield* makeClaimDeliveries,
    ...(yield* makeSettleDeliveries),
    ...(yield* makeMaintenance)
  } satisfies Webhooks
})
