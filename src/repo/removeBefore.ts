import { type DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { smallestIdAt } from "../domain/ids.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"

/** Deletes rows by the time in their ids, except locked rows. */
export const makeRemoveBefore = (table: "events" | "notifications" | "notification_deliveries") =>
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rows = sql.literal(table)
    const deleteBefore = SqlSchema.findAll({
      Request: Schema.Struct({ id: Schema.String, limit: Schema.Int }),
      Result: Schema.Struct({ id: Schema.String }),
      execute: ({ id, limit }) => sql`
      DELETE FROM ${rows} WHERE id IN (
        SELECT id FROM ${rows} WHERE id < ${id}::uuid ORDER BY id LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
      RETURNING id`
    })
    return Effect.fn(`Repo.${table}.removeBefore`)((time: DateTime.Utc, limit: number) =>
      deleteBefore({ id: smallestIdAt(time), limit }).pipe(
        Effect.map((removed) => removed.length),
        withDatabaseTimeout(`deleting old ${table}`)
      )
    )
  })
