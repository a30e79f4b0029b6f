import { Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaStoreId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import type { Media } from "./Media.ts"

const StoreRow = Schema.Struct({ id: MediaStoreId })

export const makeMedia = Effect.gen(function* () {
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
    // A conflict waits for the other transaction, and the update returns its row.
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

  return { findStoreId, claimStoreId } satisfies Media
})
