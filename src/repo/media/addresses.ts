import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaClaimLost } from "../../domain/errors.ts"
import { MediaId, MediaStoreId, WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { hasSettingPictures, partPictures, settingPictures } from "../postgres/indexes.ts"
import type { Media } from "./Media.ts"

const StoreRow = Schema.Struct({ id: MediaStoreId })
const Address = Schema.Struct({ workspaceId: WorkspaceId, hash: Schema.String })

/** Until the transaction ends, nobody else can begin to keep or remove these bytes. */
export const lockBytes = (sql: SqlClient.SqlClient, workspaceId: string, hash: string) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${`media ${workspaceId} ${hash}`}, 0))`

export const makeAddresses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findStore = SqlSchema.findOneOption({
    Request: Schema.Void,
    Result: StoreRow,
    execute: () => sql`SELECT id FROM media_store`
  })

  const findStoreId: Media["findStoreId"] = findStore(undefined).pipe(
    Effect.map(Option.map(({ id }) => id)),
    withDatabaseTimeout("finding the store of media"),
    Effect.withSpan("Repo.media.findStoreId")
  )

  const claimStore = SqlSchema.findOne({
    Request: MediaStoreId,
    Result: StoreRow,
    // On a conflict, waits for the other transaction, and the update returns its row.
    execute: (id) => sql`
      INSERT INTO media_store (id) VALUES (${id}::uuid)
      ON CONFLICT (only_row) DO UPDATE SET id = media_store.id RETURNING id`
  })

  const claimStoreId: Media["claimStoreId"] = Effect.fn("Repo.media.claimStoreId")((id) =>
    claimStore(id).pipe(
      Effect.map((row) => row.id),
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("claiming the store of media")
    )
  )

  const lock = (workspaceId: string, hash: string) => lockBytes(sql, workspaceId, hash)

  const keepBytes = SqlSchema.findOneOption({
    Request: Schema.Struct({ ...Address.fields, id: MediaId }),
    Result: Schema.Struct({ id: MediaId }),
    execute: ({ hash, id, workspaceId }) => sql`
      WITH locked AS MATERIALIZED (${lock(workspaceId, hash)})
      UPDATE media SET files = CASE WHEN ${hash} = ANY(files) THEN files ELSE array_append(files, ${hash}) END
      FROM locked WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND removed_at IS NULL RETURNING id`
  })

  const keep: Media["keep"] = Effect.fn("Repo.media.keep")(function* (address, id) {
    const row = yield* withDatabaseTimeout("keeping bytes")(keepBytes({ ...address, id }))
    if (Option.isNone(row)) return yield* new MediaClaimLost()
  })

  const findUnkeptRows = SqlSchema.findAll({
    Request: Schema.Struct({ workspaceIds: Schema.Array(WorkspaceId), hashes: Schema.Array(Schema.String) }),
    Result: Address,
    execute: ({ hashes, workspaceIds }) => sql`
      SELECT a.workspace_id AS "workspaceId", a.hash
      FROM unnest(${workspaceIds}::uuid[], ${hashes}::text[]) AS a(workspace_id, hash)
      WHERE NOT EXISTS (SELECT FROM media m
          WHERE m.workspace_id = a.workspace_id AND m.files @> ARRAY[a.hash] AND m.removed_at IS NULL)
        AND NOT EXISTS (SELECT FROM card_pictures c WHERE c.workspace_id = a.workspace_id AND c.hash = a.hash)
        AND NOT EXISTS (SELECT FROM posts p
          WHERE p.workspace_id = a.workspace_id AND p.card #>> '{thumb,hash}' = a.hash)
        AND NOT EXISTS (SELECT FROM posts p
          WHERE p.workspace_id = a.workspace_id AND ${sql.literal(partPictures("p.thread"))} ? a.hash AND p.thread <> '[]')
        AND NOT EXISTS (SELECT FROM posts p
          WHERE p.workspace_id = a.workspace_id AND ${sql.literal(settingPictures("p.platform_settings"))} ? a.hash
            AND ${sql.literal(hasSettingPictures("p.platform_settings"))})`
  })

  const unkept = (addresses: ReadonlyArray<typeof Address.Type>) =>
    findUnkeptRows({
      workspaceIds: addresses.map(({ workspaceId }) => workspaceId),
      hashes: addresses.map(({ hash }) => hash)
    })

  const findUnkept: Media["findUnkept"] = Effect.fn("Repo.media.findUnkept")((addresses) =>
    withDatabaseTimeout("finding bytes that nothing keeps")(unkept(addresses))
  )

  const removeUnlessKept: Media["removeUnlessKept"] = Effect.fn("Repo.media.removeUnlessKept")((address, remove) =>
    withDatabaseTimeout("removing bytes")(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* lock(address.workspaceId, address.hash)
          if ((yield* unkept([address])).length === 0) return false
          yield* remove
          return true
        })
      )
    )
  )

  return { findStoreId, claimStoreId, keep, findUnkept, removeUnlessKept }
})
