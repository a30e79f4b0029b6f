import { PgClient } from "@effect/sql-pg"
import { Effect, Queue } from "effect"
import { mapDatabaseErrors } from "../postgres/databaseErrors.ts"
import type { Targets } from "./Targets.ts"

/** The NOTIFY channel on which processes wake each other's publishers when something is due soon. */
export const dueChannel = "due_targets"

export const makeListen = Effect.gen(function* () {
  const pg = yield* PgClient.PgClient

  const listen: Targets["listen"] = (onWake) =>
    Effect.gen(function* () {
      const wakeUps = yield* pg.listen(dueChannel)
      // Something may have fallen due before listening began.
      yield* onWake
      return yield* Effect.forever(Effect.andThen(Queue.take(wakeUps), onWake))
    }).pipe(Effect.scoped, mapDatabaseErrors("listening for wake-ups"))
  return listen
})
