import { PgClient } from "@effect/sql-pg"
import { Effect, Queue } from "effect"
import { mapDatabaseErrors } from "../postgres/databaseErrors.ts"
import type { ApiKeyLookup } from "./lookup.ts"

/** The notification's payload is the hash of a key that now ends sooner. */
const changedKeys = "changed_keys"

export const makeListen = ({ forget, forgetAll }: ApiKeyLookup) =>
  Effect.map(PgClient.PgClient, (pg) =>
    Effect.gen(function* () {
      const changes = yield* pg.listen(changedKeys)
      yield* forgetAll
      return yield* Effect.forever(Effect.flatMap(Queue.take(changes), ({ payload }) => forget(payload)))
    }).pipe(Effect.scoped, mapDatabaseErrors("listening for changed keys"))
  )
