import { DateTime, Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidRequest, NotFound, WebhookLimit } from "../../domain/errors.ts"
import { WebhookEventType } from "../../domain/webhooks/event.ts"
import { nextWebhookId, WebhookId, WorkspaceId } from "../../domain/ids.ts"
import { maxWebhooks } from "../../domain/plain/limits.ts"
import { isMaskedUrl, isShownUrl, maskUrl } from "../../domain/webhooks/maskedUrl.ts"
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
import { secretCell, toWebhook, unknownWebhook, webhookColumns, WebhookRow } from "./rows.ts"
import { makeSealedUrls, SealedUrl, StoredUrl, storedUrlColumns } from "./sealedUrls.ts"
import { makeSettleDeliveries } from "./settle.ts"
import type { Webhooks } from "./Webhooks.ts"

/** In bytes; Standard Webhooks asks for 24 to 64. */
const secretLength = 32

const maskedUrlRefused = new InvalidRequest({
  message: "The URL is a shortened one",
  errors: [{ path: ["url"], message: "This URL is shortened for display; give the whole one" }]
})

const unchanged = { sealedUrl: null, maskedUrl: null }

const WebhookKey = Schema.Struct({ workspaceId: WorkspaceId, id: WebhookId })

export const makeWebhooks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace
  const cipher = yield* CredentialCipher
  const random = yield* SecureRandom.SecureRandom
  const requeue = yield* makeRequeue
  const urls = yield* makeSealedUrls
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
      ...SealedUrl.fields,
      description: Schema.NullOr(Schema.String),
      events: Schema.NullOr(Schema.Array(WebhookEventType)),
      sealed: Schema.Uint8Array,
      ...AuthorIds.fields,
      now: Timestamp
    }),
    Result: WebhookRow,
    execute: (webhook) => sql`
      INSERT INTO webhooks (id, workspace_id, url, sealed_url, masked_url, description, events, secret, created_by_key,
        created_by_user, created_at)
      VALUES (${webhook.id}::uuid, ${webhook.workspaceId}::uuid, '', ${webhook.sealedUrl}::bytea,
        ${webhook.maskedUrl}, ${webhook.description}::text, ${webhook.events}::text[], ${webhook.sealed}::bytea, ${webhook.byKey}::uuid, ${webhook.byUser}::uuid,
        ${webhook.now}::timestamptz)
      RETURNING ${columns}`
  })

  const create: Webhooks["create"] = Effect.fn("Repo.webhooks.create")((workspaceId, webhook, by) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          if (isMaskedUrl(webhook.url)) return yield* maskedUrlRefused
          if (!(yield* lockWorkspace(workspaceId))) {
            return yield* new NotFound({ message: `There is no workspace ${workspaceId}` })
          }
          yield* hold(by)
          if ((yield* countOwn(workspaceId)).count >= maxWebhooks) return yield* new WebhookLimit()
          const id = yield* nextWebhookId
          const secret = yield* nextSecret
          const sealed = yield* cipher.seal(secretCell(id), secret)
          const author = authorIds(by?.author)
          const sealedUrl = yield* urls.seal(id, webhook.url)
          const row = { ...webhook, ...sealedUrl, ...author, id, workspaceId, sealed, now: yield* DateTime.now }
          return { webhook: toWebhook(yield* insert(row)), secret }
        })
      )
      .pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("creating a webhook"))
  )

  const findAll = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: WebhookRow,
    execute: (workspaceId) => sql`
      SELECT ${columns} FROM webhooks WHERE workspace_id = ${workspaceId}::uuid AND deleted_at IS NULL ORDER BY id DESC`
  })

  const list: Webhooks["list"] = Effect.fn("Repo.webhooks.list")((workspaceId) =>
    findAll(workspaceId).pipe(
      Effect.map((rows) => rows.map(toWebhook)),
      withDatabaseTimeout("listing webhooks")
    )
  )

  const findOne = SqlSchema.findOne({
    Request: WebhookKey,
    Result: WebhookRow,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${columns} FROM webhooks
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND deleted_at IS NULL`
  })

  const get: Webhooks["get"] = Effect.fn("Repo.webhooks.get")((workspaceId, id) =>
    findOne({ workspaceId, id }).pipe(
      Effect.map(toWebhook),
      Effect.catchTag("NoSuchElementError", () => unknownWebhook),
      withDatabaseTimeout("reading a webhook")
    )
  )

  // Results for another URL, or from before it was enabled again, no longer count.
  const change = SqlSchema.findOne({
    Request: Schema.Struct({
      ...WebhookKey.fields,
      sealedUrl: Schema.NullOr(Schema.Uint8Array),
      maskedUrl: Schema.NullOr(Schema.String),
      describes: Schema.Boolean,
      description: Schema.NullOr(Schema.String),
      filters: Schema.Boolean,
      events: Schema.NullOr(Schema.Array(WebhookEventType)),
      enabled: Schema.NullOr(Schema.Boolean)
    }),
    Result: WebhookRow,
    execute: (patch) => {
      const forgets = sql`(${patch.enabled}::boolean IS TRUE OR ${patch.sealedUrl}::bytea IS NOT NULL)`
      return sql`
        UPDATE webhooks SET sealed_url = coalesce(${patch.sealedUrl}::bytea, sealed_url),
          masked_url = coalesce(${patch.maskedUrl}::text, masked_url),
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

  const lockUrl = SqlSchema.findOne({
    Request: WebhookKey,
    Result: Schema.Struct({ ...StoredUrl.fields, masked: Schema.NullOr(Schema.String) }),
    execute: ({ id, workspaceId }) => sql`
      SELECT ${sql.literal(storedUrlColumns)}, masked_url AS masked
      FROM webhooks WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND deleted_at IS NULL
      FOR NO KEY UPDATE`
  })

  /** Leaves the URL if the patch has the stored URL or its masked form. */
  const anotherUrl = Effect.fnUntraced(function* (key: typeof WebhookKey.Type, url: string) {
    const { masked, ...stored } = yield* lockUrl(key)
    // Any given URL replaces a stored URL that no key decrypts.
    const current = yield* Effect.option(urls.open(key.id, stored))
    const plain = Option.getOrNull(Option.map(current, Redacted.value))
    const shown = masked ?? (plain === null ? null : maskUrl(plain))
    if (url === plain || (shown !== null && isShownUrl(url, shown))) return unchanged
    if (isMaskedUrl(url)) return yield* maskedUrlRefused
    return yield* urls.seal(key.id, url)
  })

  const update: Webhooks["update"] = Effect.fn("Repo.webhooks.update")((workspaceId, id, patch) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const changed = yield* change({
            workspaceId,
            id,
            ...(patch.url === undefined ? unchanged : yield* anotherUrl({ workspaceId, id }, patch.url)),
            describes: patch.description !== undefined,
            description: patch.description ?? null,
            filters: patch.events !== undefined,
            events: patch.events ?? null,
            enabled: patch.enabled ?? null
          })
          yield* requeue({ ids: [id], workspaceId, now: yield* DateTime.now })
          return toWebhook(changed)
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
      UPDATE webhooks SET deleted_at = ${now}::timestamptz, disabled_reason = 'deleted', due_at = NULL, url = '',
        sealed_url = NULL, masked_url = NULL, secret = '', former_secret = NULL, former_secret_until = NULL
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
    Result: WebhookRow,
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
      return { webhook: toWebhook(webhook), secret }
    }
  )

  const open: Webhooks["open"] = ({ formerSecret, secret, webhookId, ...stored }) =>
    Effect.all({
      url: urls.open(webhookId, stored),
      secrets: Effect.forEach(formerSecret === null ? [secret] : [secret, formerSecret], (sealed) =>
        cipher.open(secretCell(webhookId), sealed)
      )
    })

  return {
    create,
    list,
    get,
    update,
    remove,
    rotateSecret,
    open,
    ...(yield* makeDeliveries),
    claim: yield* makeClaimDeliveries,
    ...(yield* makeSettleDeliveries),
    ...(yield* makeMaintenance)
  } satisfies Webhooks
})
