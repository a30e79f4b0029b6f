import { DateTime, Duration, Effect, type Option, type Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { nextFileLinkId, WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeTokens } from "../sha256.ts"

/** A platform fetches files within minutes. */
const lifetime = Duration.hours(24)

const LinkedFile = Schema.Struct({
  workspaceId: WorkspaceId,
  hash: Schema.String,
  contentType: Schema.String,
  size: Schema.Int
})
export type LinkedFile = typeof LinkedFile.Type

export interface FileLinks {
  /** Returns the link's token, which only its URL has. */
  readonly create: (
    file: LinkedFile
  ) => Effect.Effect<{ readonly id: string; readonly token: Redacted.Redacted }, DatabaseUnavailable>
  /** None if there is no such link, or if it has ended. */
  readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<LinkedFile>, DatabaseUnavailable>
  readonly end: (workspaceId: WorkspaceId, ids: ReadonlyArray<string>) => Effect.Effect<void, DatabaseUnavailable>
  /** Deletes links that ended before a time. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}

export const makeFileLinks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { hashToken, nextToken } = yield* makeTokens
  const Hash = Schema.Uint8Array

  const insert = SqlSchema.void({
    Request: Schema.Struct({ ...LinkedFile.fields, id: Schema.String, tokenHash: Hash, expiresAt: Timestamp }),
    execute: ({ contentType, expiresAt, hash, id, size, tokenHash, workspaceId }) => sql`
      INSERT INTO file_links (id, token_hash, workspace_id, hash, content_type, size, expires_at)
      VALUES (${id}::uuid, ${tokenHash}, ${workspaceId}::uuid, ${hash}, ${contentType}, ${size}::bigint,
        ${expiresAt}::timestamptz)`
  })
  const select = SqlSchema.findOneOption({
    Request: Schema.Struct({ tokenHash: Hash, now: Timestamp }),
    Result: LinkedFile,
    execute: ({ now, tokenHash }) => sql`
      SELECT workspace_id AS "workspaceId", hash, content_type AS "contentType", size::float8 AS size
      FROM file_links WHERE token_hash = ${tokenHash} AND expires_at > ${now}::timestamptz`
  })
  const remove = SqlSchema.void({
    Request: Schema.Struct({ workspaceId: WorkspaceId, ids: Schema.Array(Schema.String) }),
    execute: ({ ids, workspaceId }) =>
      sql`DELETE FROM file_links WHERE workspace_id = ${workspaceId}::uuid AND id = ANY(${ids}::uuid[])`
  })
  const removeExpired = SqlSchema.findAll({
    Request: Schema.Struct({ time: Timestamp, limit: Schema.Int }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ limit, time }) => sql`
      DELETE FROM file_links WHERE id IN (
        SELECT id FROM file_links WHERE expires_at < ${time}::timestamptz
        ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
      RETURNING id`
  })

  return {
    create: Effect.fn("Repo.fileLinks.create")(function* (file) {
      const token = yield* nextToken
      const id = yield* nextFileLinkId
      const expiresAt = DateTime.addDuration(yield* DateTime.now, lifetime)
      yield* insert({ ...file, id, tokenHash: yield* hashToken(token), expiresAt }).pipe(
        withDatabaseTimeout("making a link to a file")
      )
      return { id, token }
    }),
    find: Effect.fn("Repo.fileLinks.find")(function* (token) {
      const now = yield* DateTime.now
      return yield* withDatabaseTimeout("finding a linked file")(select({ tokenHash: yield* hashToken(token), now }))
    }),
    end: Effect.fn("Repo.fileLinks.end")((workspaceId, ids) =>
      withDatabaseTimeout("ending links to files")(remove({ workspaceId, ids }))
    ),
    removeBefore: Effect.fn("Repo.fileLinks.removeBefore")((time, limit) =>
      removeExpired({ time, limit }).pipe(
        Effect.map((removed) => removed.length),
        withDatabaseTimeout("deleting old links to files")
      )
    )
  } satisfies FileLinks
})
