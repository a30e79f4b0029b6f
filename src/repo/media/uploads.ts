import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaClaimLost, MediaQuotaExceeded, TooManyUploads } from "../../domain/errors.ts"
import { ApiKeyId, MediaId, nextMediaId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Media, NewFile } from "./Media.ts"
import { Bytes, fileColumns, FileRow, OwnFile, toLibraryFile, unusedRetention, usedBytes } from "./rows.ts"

/** Per workspace, over all processes. */
const maxUploads = 2

const maxWaitingFetches = 50

const NewRow = Schema.Struct({
  id: MediaId,
  workspaceId: WorkspaceId,
  status: Schema.Literals(["uploading", "processing"]),
  size: Schema.Int,
  alt: Schema.String,
  sourceUrl: Schema.NullOr(Schema.String),
  createdByKey: Schema.NullOr(ApiKeyId),
  createdByUser: Schema.NullOr(UserId),
  createdAt: Timestamp,
  keptUntil: Timestamp,
  nextAt: Timestamp
})

const Usage = Schema.Struct({ used: Bytes, uploads: Schema.Int, fetches: Schema.Int })
type Usage = typeof Usage.Type

const inMegabytes = (bytes: number) => `${Math.round(bytes / 1e6).toLocaleString("en-US")} MB`

const requireRoom = ({ used }: Usage, size: number, quota: number) =>
  used + size <= quota
    ? Effect.void
    : new MediaQuotaExceeded({
        message: `The workspace's media takes ${inMegabytes(used)} of ${inMegabytes(quota)}, and this file has no room; delete files that no post needs, or wait until unused ones expire`
      })

export const makeUploads = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockWorkspace = yield* makeLockWorkspace

  const findUsage = SqlSchema.findOne({
    Request: Schema.Struct({ workspaceId: WorkspaceId, now: Timestamp }),
    Result: Usage,
    execute: ({ now, workspaceId }) => sql`
      SELECT ${usedBytes(sql, workspaceId)}::text AS used,
        (count(*) FILTER (WHERE status = 'uploading' AND next_at > ${now}::timestamptz))::int AS uploads,
        (count(*) FILTER (WHERE status = 'processing' AND hash IS NULL))::int AS fetches
      FROM media WHERE workspace_id = ${workspaceId}::uuid`
  })

  const insert = SqlSchema.void({
    Request: NewRow,
    execute: (row) => sql`
      INSERT INTO media (id, workspace_id, status, size, alt, source_url, created_by_key, created_by_user, created_at,
        kept_until, next_at)
      VALUES (${row.id}::uuid, ${row.workspaceId}::uuid, ${row.status}, ${row.size}::bigint, ${row.alt},
        ${row.sourceUrl}, ${row.createdByKey}::uuid, ${row.createdByUser}::uuid, ${row.createdAt}::timestamptz,
        ${row.keptUntil}::timestamptz, ${row.nextAt}::timestamptz)`
  })

  const find = SqlSchema.findOne({
    Request: OwnFile,
    Result: FileRow,
    execute: ({ id, workspaceId }) => sql`
      SELECT ${fileColumns(sql)} FROM media m WHERE m.workspace_id = ${workspaceId}::uuid AND m.id = ${id}::uuid`
  })

  const add = Effect.fnUntraced(
    function* (
      workspaceId: WorkspaceId,
      { alt, creator }: NewFile,
      row: Pick<typeof NewRow.Type, "status" | "size" | "sourceUrl" | "nextAt">,
      require: (usage: Usage) => Effect.Effect<void, MediaQuotaExceeded | TooManyUploads>
    ) {
      const now = yield* DateTime.now
      const id = yield* nextMediaId
      yield* lockWorkspace(workspaceId)
      yield* require(yield* findUsage({ workspaceId, now }))
      yield* insert({
        ...row,
        id,
        workspaceId,
        alt,
        createdByKey: creator.type === "key" ? creator.id : null,
        createdByUser: creator.type === "user" ? creator.id : null,
        createdAt: now,
        keptUntil: DateTime.addDuration(now, unusedRetention)
      })
      return id
    },
    Effect.catchTag("NoSuchElementError", Effect.die)
  )

  const beginUpload: Media["beginUpload"] = Effect.fn("Repo.media.beginUpload")(
    function* (workspaceId, file, { lease, quota, size }) {
      const nextAt = DateTime.addDuration(yield* DateTime.now, lease)
      return yield* add(workspaceId, file, { status: "uploading", size, sourceUrl: null, nextAt }, (usage) =>
        usage.uploads >= maxUploads
          ? new TooManyUploads({
              message: `The workspace has ${maxUploads} uploads in progress, which is the most; wait until one has ended`
            })
          : requireRoom(usage, size, quota)
      )
    },
    (effect) => withDatabaseTimeout("beginning an upload")(sql.withTransaction(effect))
  )

  const addFromUrl: Media["addFromUrl"] = Effect.fn("Repo.media.addFromUrl")(
    function* (workspaceId, { url, ...file }, quota) {
      const nextAt = yield* DateTime.now
      const id = yield* add(workspaceId, file, { status: "processing", size: 0, sourceUrl: url, nextAt }, (usage) =>
        usage.fetches >= maxWaitingFetches
          ? new TooManyUploads({
              message: `${maxWaitingFetches} files of the workspace wait to be fetched, which is the most; wait until one has ended`
            })
          : requireRoom(usage, 1, quota)
      )
      return toLibraryFile(yield* find({ workspaceId, id }))
    },
    Effect.catchTag("NoSuchElementError", Effect.die),
    (effect) => withDatabaseTimeout("adding a file from a URL")(sql.withTransaction(effect))
  )

  const renew = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...OwnFile.fields, nextAt: Timestamp }),
    Result: Schema.Struct({ id: MediaId }),
    execute: ({ id, nextAt, workspaceId }) => sql`
      UPDATE media SET next_at = ${nextAt}::timestamptz
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status = 'uploading' AND removed_at IS NULL
      RETURNING id`
  })

  const renewUploadLease: Media["renewUploadLease"] = Effect.fn("Repo.media.renewUploadLease")(
    function* (workspaceId, id, lease) {
      const nextAt = DateTime.addDuration(yield* DateTime.now, lease)
      const row = yield* withDatabaseTimeout("renewing an upload")(renew({ workspaceId, id, nextAt }))
      if (Option.isNone(row)) return yield* new MediaClaimLost()
    }
  )

  const end = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...OwnFile.fields,
      hash: Schema.String,
      size: Schema.Int,
      contentType: Schema.String,
      alt: Schema.NullOr(Schema.String),
      now: Timestamp
    }),
    Result: FileRow,
    execute: ({ alt, contentType, hash, id, now, size, workspaceId }) => sql`
      WITH m AS (
        UPDATE media SET status = 'processing', hash = decode(${hash}, 'hex'), size = ${size}::bigint,
          content_type = ${contentType}, alt = coalesce(${alt}, alt), next_at = ${now}::timestamptz
        WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status = 'uploading' AND removed_at IS NULL
        RETURNING *
      )
      SELECT ${fileColumns(sql)} FROM m`
  })

  const endUpload: Media["endUpload"] = Effect.fn("Repo.media.endUpload")(function* (workspaceId, id, received) {
    const now = yield* DateTime.now
    const row = yield* withDatabaseTimeout("ending an upload")(end({ ...received, workspaceId, id, now }))
    return yield* Effect.mapError(Effect.fromOption(Option.map(row, toLibraryFile)), () => new MediaClaimLost())
  })

  const abandon = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...OwnFile.fields, now: Timestamp }),
    Result: Schema.Struct({ id: MediaId, workspaceId: WorkspaceId, hashes: Schema.Array(Schema.String) }),
    execute: ({ id, now, workspaceId }) => sql`
      UPDATE media SET removed_at = ${now}::timestamptz
      WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND status = 'uploading' AND removed_at IS NULL
      RETURNING id, workspace_id AS "workspaceId", files AS hashes`
  })

  const abandonUpload: Media["abandonUpload"] = Effect.fn("Repo.media.abandonUpload")(function* (workspaceId, id) {
    return yield* withDatabaseTimeout("abandoning an upload")(abandon({ workspaceId, id, now: yield* DateTime.now }))
  })

  return { beginUpload, addFromUrl, renewUploadLease, endUpload, abandonUpload }
})
