import { DateTime, Duration, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

const retryInterval = Duration.hours(6)

const MissingAvatar = Schema.Struct({ id: IntegrationId, workspaceId: WorkspaceId, sourceUrl: Schema.String })
export type MissingAvatar = typeof MissingAvatar.Type

/** Copies of accounts' pictures, so that browsers request no other host. */
export interface Avatars {
  readonly find: (
    workspaceId: WorkspaceId,
    id: IntegrationId
  ) => Effect.Effect<{ readonly content: Uint8Array; readonly hash: string }, NotFound | DatabaseUnavailable>
  /**
   * Takes pictures without a copy or a failed fetch in the last six hours. One process takes each picture, which counts
   * as failed until it is stored.
   */
  readonly takeMissing: (limit: number) => Effect.Effect<ReadonlyArray<MissingAvatar>, DatabaseUnavailable>
  /** Up to 64 KiB. Does nothing if the picture has changed. */
  readonly store: (avatar: MissingAvatar, content: Uint8Array) => Effect.Effect<void, DatabaseUnavailable>
}

const noAvatar = new NotFound({ message: "There is no picture of such an account in this workspace" })

export const makeAvatars = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findCopy = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: IntegrationId }),
    Result: Schema.Struct({ content: Schema.Uint8Array, hash: Schema.String }),
    execute: ({ id, workspaceId }) => sql`
      SELECT a.content, encode(sha256(a.content), 'hex') AS hash
      FROM integrations i JOIN avatars a ON a.integration_id = i.id AND a.source_url = i.avatar_url
      WHERE i.workspace_id = ${workspaceId}::uuid AND i.id = ${id}::uuid AND i.status <> 'disconnected'
        AND a.content IS NOT NULL`
  })

  const find: Avatars["find"] = Effect.fn("Repo.avatars.find")(function* (workspaceId, id) {
    const found = yield* findCopy({ workspaceId, id }).pipe(withDatabaseTimeout("reading a picture"))
    return Option.isNone(found) ? yield* noAvatar : found.value
  })

  const take = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, now: Timestamp, before: Timestamp }),
    Result: MissingAvatar,
    execute: ({ before, limit, now }) => sql`
      INSERT INTO avatars AS known (integration_id, workspace_id, source_url, content, fetched_at)
      SELECT i.id, i.workspace_id, i.avatar_url, NULL, ${now}::timestamptz
      FROM integrations i LEFT JOIN avatars a ON a.integration_id = i.id
      WHERE i.status <> 'disconnected' AND i.avatar_url IS NOT NULL
        AND (a.integration_id IS NULL OR a.source_url <> i.avatar_url
          OR a.content IS NULL AND a.fetched_at <= ${before}::timestamptz)
      LIMIT ${limit}::int
      ON CONFLICT (integration_id) DO UPDATE
        SET source_url = excluded.source_url, content = NULL, fetched_at = excluded.fetched_at
        WHERE known.source_url <> excluded.source_url
          OR known.content IS NULL AND known.fetched_at <= ${before}::timestamptz
      RETURNING integration_id AS id, workspace_id AS "workspaceId", source_url AS "sourceUrl"`
  })

  const takeMissing: Avatars["takeMissing"] = Effect.fn("Repo.avatars.takeMissing")(function* (limit) {
    const now = yield* DateTime.now
    const before = DateTime.subtractDuration(now, retryInterval)
    return yield* take({ limit, now, before }).pipe(withDatabaseTimeout("finding pictures to fetch"))
  })

  const write = SqlSchema.void({
    Request: Schema.Struct({ ...MissingAvatar.fields, content: Schema.Uint8Array }),
    execute: ({ content, id, sourceUrl }) => sql`
      UPDATE avatars SET content = ${content}::bytea
      WHERE integration_id = ${id}::uuid AND source_url = ${sourceUrl}`
  })

  const store: Avatars["store"] = Effect.fn("Repo.avatars.store")((avatar, content) =>
    write({ ...avatar, content }).pipe(withDatabaseTimeout("storing a picture"))
  )

  return { find, takeMissing, store } satisfies Avatars
})
