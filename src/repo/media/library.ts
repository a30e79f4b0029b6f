import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { InvalidState, NotFound, NotOwnMedia } from "../../domain/errors.ts"
import { ApiKeyId, MediaId, WorkspaceId } from "../../domain/ids.ts"
import { Renditions } from "../../domain/media/media.ts"
import { ReadClient } from "../postgres/database.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import type { Media } from "./Media.ts"
import { Bytes, fileColumns, FileRow, neededUntil, OwnFile, toLibraryFile } from "./rows.ts"

const unknownFile = new NotFound({
  message: "There is no such file in this workspace; it may have expired or been deleted"
})

const inUse = new InvalidState({
  message: "A draft, scheduled or publishing post uses this file; delete the post, or remove the file from it, first"
})

const orUnknown = <A>(found: Option.Option<A>) => Effect.mapError(Effect.fromOption(found), () => unknownFile)

const isVisible = "m.status <> 'uploading' AND m.removed_at IS NULL"

export const makeLibrary = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const reads = yield* ReadClient
  const columns = fileColumns(sql)
  const visible = sql.literal(isVisible)

  const find = SqlSchema.findOneOption({
    Request: OwnFile,
    Result: FileRow,
    execute: ({ id, workspaceId }) => reads`
      SELECT ${columns} FROM media m
      WHERE m.workspace_id = ${workspaceId}::uuid AND m.id = ${id}::uuid AND ${visible}`
  })

  const get: Media["get"] = Effect.fn("Repo.media.get")(function* (workspaceId, id) {
    return toLibraryFile(yield* orUnknown(yield* withDatabaseTimeout("reading a file")(find({ workspaceId, id }))))
  })

  const findPage = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceId: WorkspaceId, limit: Schema.Int, before: Schema.NullOr(MediaId) }),
    Result: FileRow,
    execute: ({ before, limit, workspaceId }) => reads`
      SELECT ${columns} FROM media m WHERE m.workspace_id = ${workspaceId}::uuid AND ${visible}
        AND (${before}::uuid IS NULL OR m.id < ${before}::uuid)
      ORDER BY m.id DESC LIMIT ${limit}::int`
  })

  const list: Media["list"] = Effect.fn("Repo.media.list")((workspaceId, query) =>
    findPage({ ...query, workspaceId }).pipe(
      Effect.map((rows) => rows.map(toLibraryFile)),
      withDatabaseTimeout("listing files")
    )
  )

  const findPlace = SqlSchema.findOneOption({
    Request: OwnFile,
    Result: Schema.Struct({
      hash: Schema.NullOr(Schema.String),
      size: Bytes,
      contentType: Schema.NullOr(Schema.String),
      renditions: Renditions
    }),
    execute: ({ id, workspaceId }) => reads`
      SELECT encode(m.hash, 'hex') AS hash, m.size::text AS size, m.content_type AS "contentType", m.renditions FROM media m
      WHERE m.workspace_id = ${workspaceId}::uuid AND m.id = ${id}::uuid AND ${visible}`
  })

  const locate: Media["locate"] = Effect.fn("Repo.media.locate")(function* (workspaceId, id) {
    const row = yield* orUnknown(yield* withDatabaseTimeout("locating a file")(findPlace({ workspaceId, id })))
    const { contentType, hash, renditions, size } = row
    return { original: hash === null || contentType === null ? null : { hash, size, contentType }, renditions }
  })

  // Conflicts with the shared lock of posts being stored with the file.
  const lockFile = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...OwnFile.fields, keys: Schema.NullOr(Schema.Array(ApiKeyId)) }),
    Result: Schema.Struct({ isOwn: Schema.Boolean }),
    execute: ({ id, keys, workspaceId }) => sql`
      SELECT ${keys}::uuid[] IS NULL OR coalesce(m.created_by_key = ANY(${keys}::uuid[]), false) AS "isOwn" FROM media m
      WHERE m.workspace_id = ${workspaceId}::uuid AND m.id = ${id}::uuid AND ${visible} FOR UPDATE`
  })

  const lockOwn = Effect.fnUntraced(function* (file: typeof OwnFile.Type, keys: ReadonlyArray<ApiKeyId> | null) {
    const { isOwn } = yield* orUnknown(yield* lockFile({ ...file, keys }))
    if (!isOwn) return yield* new NotOwnMedia()
  })

  const updateAlt = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...OwnFile.fields, alt: Schema.String }),
    Result: FileRow,
    execute: ({ alt, id, workspaceId }) => sql`
      WITH m AS (
        UPDATE media m SET alt = ${alt}
        WHERE m.workspace_id = ${workspaceId}::uuid AND m.id = ${id}::uuid AND ${visible} RETURNING *
      )
      SELECT ${columns} FROM m`
  })

  const setAlt: Media["setAlt"] = Effect.fn("Repo.media.setAlt")(
    function* (workspaceId, id, alt, keys = null) {
      yield* lockOwn({ workspaceId, id }, keys)
      return toLibraryFile(yield* orUnknown(yield* updateAlt({ workspaceId, id, alt })))
    },
    (effect) => withDatabaseTimeout("changing an alternative text")(sql.withTransaction(effect))
  )

  const markRemoved = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...OwnFile.fields, now: Timestamp }),
    Result: Schema.Struct({ id: MediaId, hashes: Schema.Array(Schema.String) }),
    execute: ({ id, now, workspaceId }) => sql`
      UPDATE media m SET removed_at = ${now}::timestamptz
      WHERE m.workspace_id = ${workspaceId}::uuid AND m.id = ${id}::uuid
        AND ${sql.literal(neededUntil)} IS DISTINCT FROM 'infinity' RETURNING m.id, m.files AS hashes`
  })

  const remove: Media["remove"] = Effect.fn("Repo.media.remove")(
    function* (workspaceId, id, keys = null) {
      yield* lockOwn({ workspaceId, id }, keys)
      const marked = yield* markRemoved({ workspaceId, id, now: yield* DateTime.now })
      if (Option.isNone(marked)) return yield* inUse
      return { ...marked.value, workspaceId }
    },
    (effect) => withDatabaseTimeout("removing a file")(sql.withTransaction(effect))
  )

  return { get, list, locate, setAlt, remove }
})
