import { DateTime, Effect, Option, Redacted, Schema, SchemaTransformation } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Channel, ChannelKind, ChannelType } from "../../domain/chat/channel.ts"
import { ChannelLimit, InvalidRequest, InvalidState, NotFound } from "../../domain/errors.ts"
import { ChannelId, nextChannelId, WorkspaceId } from "../../domain/ids.ts"
import { maxChannels } from "../../domain/plain/limits.ts"
import type { MailType } from "../../domain/plain/mail.ts"
import { isMaskedUrl, isShownUrl, maskUrl } from "../../domain/webhooks/maskedUrl.ts"
import { CredentialCipher } from "../integrations/CredentialCipher.ts"
import { reencryptEach } from "../integrations/reencrypted.ts"
import { makeAuthority } from "../people/authority.ts"
import { AuthorIds, authorIds, authorJson } from "../postgres/author.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import type { Channels } from "./Channels.ts"

const unknownChannel = new NotFound({ message: "There is no such channel in this workspace" })
const disabled = new InvalidState({ message: "The channel is disabled; enable it first, or give it another URL" })
const maskedUrlRefused = new InvalidRequest({
  message: "The URL is a shortened one",
  errors: [{ path: ["url"], message: "This URL is shortened for display; give the whole one" }]
})

const isKnown = Schema.is(ChannelType)

/** Without types that only a later version knows. */
const StoredTypes = Schema.Array(Schema.Unknown).pipe(
  Schema.decodeTo(
    Schema.Array(ChannelType),
    SchemaTransformation.transform({
      decode: (stored: ReadonlyArray<unknown>): ReadonlyArray<MailType> => stored.filter(isKnown),
      encode: (types: ReadonlyArray<MailType>): ReadonlyArray<unknown> => types
    })
  )
)

const ChannelRow = Schema.Struct({ ...Channel.fields, types: StoredTypes })

const ChannelKey = Schema.Struct({ workspaceId: WorkspaceId, id: ChannelId })

const urlCell = (id: ChannelId) => `channels/${id}/sealed_url`

export const makeChannels = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hold } = yield* makeAuthority
  const lockWorkspace = yield* makeLockWorkspace
  const cipher = yield* CredentialCipher
  const columns =
    sql.literal(`id, kind, name, masked_url AS url, types, disabled_reason IS NULL AS enabled, disabled_reason,
    -- Each message holds its channel, for less than a minute.
    to_jsonb(CASE WHEN held_until > clock_timestamp() + interval '1 minute' THEN held_until END) AS paused_until,
    to_jsonb(created_at) AS created_at,
    ${authorJson("channels.created_by_key", "channels.created_by_user", "channels.workspace_id")} AS created_by`)

  const seal = (id: ChannelId, url: string) =>
    Effect.map(cipher.seal(urlCell(id), Redacted.make(url)), (sealedUrl) => ({ sealedUrl, maskedUrl: maskUrl(url) }))
  const openUrl: Channels["openUrl"] = (id, sealedUrl) => cipher.open(urlCell(id), sealedUrl)

  const countOwn = SqlSchema.findOne({
    Request: WorkspaceId,
    Result: Schema.Struct({ count: Schema.Int }),
    execute: (workspaceId) => sql`
      SELECT count(*)::int AS count FROM channels WHERE workspace_id = ${workspaceId}::uuid`
  })

  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      ...ChannelKey.fields,
      kind: ChannelKind,
      name: Schema.String,
      sealedUrl: Schema.Uint8Array,
      maskedUrl: Schema.String,
      types: Schema.Array(ChannelType),
      ...AuthorIds.fields,
      now: Timestamp
    }),
    Result: ChannelRow,
    execute: (channel) => sql`
      INSERT INTO channels (id, workspace_id, kind, name, sealed_url, masked_url, types, created_by_key, created_by_user,
        created_at)
      VALUES (${channel.id}::uuid, ${channel.workspaceId}::uuid, ${channel.kind}, ${channel.name},
        ${channel.sealedUrl}::bytea, ${channel.maskedUrl}, ${channel.types}::text[], ${channel.byKey}::uuid,
        ${channel.byUser}::uuid, ${channel.now}::timestamptz)
      RETURNING ${columns}`
  })

  const create: Channels["create"] = Effect.fn("Repo.channels.create")((workspaceId, { url, ...channel }, by) =>
    Effect.gen(function* () {
      if (isMaskedUrl(url)) return yield* maskedUrlRefused
      // Serializes creations, so that no two of them count the same channels.
      yield* lockWorkspace(workspaceId)
      yield* hold(by)
      if ((yield* countOwn(workspaceId)).count >= maxChannels) return yield* new ChannelLimit()
      const id = yield* nextChannelId
      return yield* insert({
        ...channel,
        ...(yield* seal(id, url)),
        ...authorIds(by.author),
        id,
        workspaceId,
        now: yield* DateTime.now
      })
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("creating a channel")
    )
  )

  const findAll = SqlSchema.findAll({
    Request: WorkspaceId,
    Result: ChannelRow,
    execute: (workspaceId) => sql`
      SELECT ${columns} FROM channels WHERE workspace_id = ${workspaceId}::uuid ORDER BY id DESC`
  })

  const list: Channels["list"] = Effect.fn("Repo.channels.list")((workspaceId) =>
    findAll(workspaceId).pipe(withDatabaseTimeout("listing channels"))
  )

  const findOne = SqlSchema.findOne({
    Request: ChannelKey,
    Result: ChannelRow,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${columns} FROM channels WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid`
  })

  const get: Channels["get"] = Effect.fn("Repo.channels.get")((workspaceId, id) =>
    findOne({ workspaceId, id }).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownChannel),
      withDatabaseTimeout("reading a channel")
    )
  )

  const lock = SqlSchema.findOne({
    Request: ChannelKey,
    Result: Schema.Struct({ kind: ChannelKind, sealedUrl: Schema.Uint8Array, maskedUrl: Schema.String }),
    execute: ({ id, workspaceId }) => sql`
      SELECT kind, sealed_url AS "sealedUrl", masked_url AS "maskedUrl" FROM channels
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid FOR NO KEY UPDATE`
  })

  const change = SqlSchema.findOne({
    Request: Schema.Struct({
      ...ChannelKey.fields,
      name: Schema.NullOr(Schema.String),
      sealedUrl: Schema.NullOr(Schema.Uint8Array),
      maskedUrl: Schema.NullOr(Schema.String),
      types: Schema.NullOr(Schema.Array(ChannelType)),
      enabled: Schema.NullOr(Schema.Boolean)
    }),
    Result: ChannelRow,
    execute: ({ enabled, id, maskedUrl, name, sealedUrl, types, workspaceId }) => sql`
      UPDATE channels SET name = coalesce(${name}::text, name), sealed_url = coalesce(${sealedUrl}::bytea, sealed_url),
        masked_url = coalesce(${maskedUrl}::text, masked_url), types = coalesce(${types}::text[], types),
        disabled_reason = CASE ${enabled}::boolean WHEN true THEN NULL
          WHEN false THEN coalesce(disabled_reason, 'manual')
          ELSE CASE WHEN ${sealedUrl}::bytea IS NOT NULL THEN NULLIF(disabled_reason, 'revoked') ELSE disabled_reason END END,
        -- The pause was asked for at the former URL.
        held_until = CASE WHEN ${sealedUrl}::bytea IS NULL THEN held_until END
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid RETURNING ${columns}`
  })

  const unchanged = { sealedUrl: null, maskedUrl: null }

  const update: Channels["update"] = (workspaceId, id, patch, checkUrl) => {
    /** Leaves the URL if the patch has the stored URL or its masked form. */
    const anotherUrl = Effect.fnUntraced(function* (url: string) {
      const { kind, maskedUrl, sealedUrl } = yield* lock({ workspaceId, id })
      // Any given URL replaces a stored URL that no key decrypts.
      const current = Option.getOrNull(Option.map(yield* Effect.option(openUrl(id, sealedUrl)), Redacted.value))
      if (url === current || isShownUrl(url, maskedUrl)) return unchanged
      if (isMaskedUrl(url)) return yield* maskedUrlRefused
      yield* checkUrl(kind, url)
      return yield* seal(id, url)
    })
    return Effect.gen(function* () {
      const url = patch.url === undefined ? unchanged : yield* anotherUrl(patch.url)
      return yield* change({
        workspaceId,
        id,
        ...url,
        name: patch.name ?? null,
        types: patch.types ?? null,
        enabled: patch.enabled ?? null
      })
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("NoSuchElementError", () => unknownChannel),
      withDatabaseTimeout("changing a channel"),
      Effect.withSpan("Repo.channels.update")
    )
  }

  const deleteOne = SqlSchema.findOne({
    Request: ChannelKey,
    Result: Schema.Struct({ id: ChannelId }),
    execute: ({ id, workspaceId }) => sql`
      DELETE FROM channels WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid RETURNING id`
  })

  const remove: Channels["remove"] = Effect.fn("Repo.channels.remove")((workspaceId, id) =>
    deleteOne({ workspaceId, id }).pipe(
      Effect.asVoid,
      Effect.catchTag("NoSuchElementError", () => unknownChannel),
      withDatabaseTimeout("deleting a channel")
    )
  )

  const findSealed = SqlSchema.findOne({
    Request: ChannelKey,
    Result: Schema.Struct({
      kind: ChannelKind,
      workspaceName: Schema.String,
      sealedUrl: Schema.Uint8Array,
      isEnabled: Schema.Boolean
    }),
    execute: ({ id, workspaceId }) => sql`
      SELECT channels.kind, w.name AS "workspaceName", sealed_url AS "sealedUrl", disabled_reason IS NULL AS "isEnabled"
      FROM channels JOIN workspaces w ON w.id = workspace_id
      WHERE workspace_id = ${workspaceId}::uuid AND channels.id = ${id}::uuid`
  })

  const open: Channels["open"] = Effect.fn("Repo.channels.open")(function* (workspaceId, id) {
    const { isEnabled, ...found } = yield* findSealed({ workspaceId, id }).pipe(
      Effect.catchTag("NoSuchElementError", () => unknownChannel),
      withDatabaseTimeout("reading a channel")
    )
    if (!isEnabled) return yield* disabled
    return { ...found, workspaceId, channelId: id, url: yield* openUrl(id, found.sealedUrl) }
  })

  const writeEffect = SqlSchema.void({
    Request: Schema.Struct({
      ...ChannelKey.fields,
      sealedUrl: Schema.Uint8Array,
      heldUntil: NullableTimestamp,
      isRevoked: Schema.Boolean,
      now: Timestamp
    }),
    execute: ({ heldUntil, id, isRevoked, now, sealedUrl, workspaceId }) => sql`
      UPDATE channels SET disabled_reason = CASE WHEN ${isRevoked}::boolean THEN coalesce(disabled_reason, 'revoked')
          ELSE disabled_reason END,
        held_until = CASE WHEN ${heldUntil}::timestamptz IS NULL THEN held_until ELSE greatest(held_until,
          ${onDatabaseClock(sql, sql`${heldUntil}::timestamptz`, sql`${now}::timestamptz`)}) END
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND sealed_url = ${sealedUrl}::bytea`
  })

  const record: Channels["record"] = Effect.fn("Repo.channels.record")(function* (
    { channelId: id, sealedUrl, workspaceId },
    effect
  ) {
    yield* writeEffect({ id, workspaceId, sealedUrl, ...effect, now: yield* DateTime.now }).pipe(
      withDatabaseTimeout("recording an answer to a message")
    )
  })

  const findUrls = SqlSchema.findAll({
    Request: Schema.NullOr(ChannelId),
    Result: Schema.Struct({ id: ChannelId, sealedUrl: Schema.Uint8Array }),
    execute: (id) => sql`
      SELECT id, sealed_url AS "sealedUrl" FROM channels
      WHERE id = coalesce(${id}::uuid, id) ${sql.literal(id === null ? "" : "FOR NO KEY UPDATE")}`
  })

  const writeUrl = SqlSchema.void({
    Request: Schema.Struct({ id: ChannelId, sealedUrl: Schema.Uint8Array }),
    execute: ({ id, sealedUrl }) => sql`UPDATE channels SET sealed_url = ${sealedUrl}::bytea WHERE id = ${id}::uuid`
  })

  const reencryptOne = (id: ChannelId) =>
    Effect.gen(function* () {
      const [stored] = yield* findUrls(id)
      if (stored === undefined) return
      const url = yield* openUrl(id, stored.sealedUrl)
      yield* writeUrl({ id, sealedUrl: (yield* seal(id, Redacted.value(url))).sealedUrl })
    }).pipe(sql.withTransaction, withDatabaseTimeout("re-encrypting channels"))

  const reencrypt: Channels["reencrypt"] = Effect.gen(function* () {
    const stored = yield* findUrls(null).pipe(withDatabaseTimeout("finding channels to re-encrypt"))
    return yield* reencryptEach(
      "channels",
      stored.filter(({ sealedUrl }) => !cipher.isCurrent(sealedUrl)),
      reencryptOne
    )
  }).pipe(Effect.withSpan("Repo.channels.reencrypt"))

  return { create, list, get, update, remove, open, openUrl, record, reencrypt } satisfies Channels
})
