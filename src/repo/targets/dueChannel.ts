import { PgClient } from "@effect/sql-pg"
import { Effect, FiberHandle, Queue } from "effect"
import { nextProcessId } from "../../domain/ids.ts"
import { mapDatabaseErrors } from "../postgres/databaseErrors.ts"
import type { Targets } from "./Targets.ts"

export const dueChannel = "due_targets"

/** After its own notification the process claims anyway: the response to the commit may be lost. */
const lostResponseDelay = "1 second"

export const makeDueHere = Effect.gen(function* () {
  const requests = yield* Queue.sliding<void>(1)
  return {
    payload: yield* nextProcessId,
    /** Lets the publisher claim before the caller continues. */
    tell: Effect.andThen(Queue.offer(requests, undefined), Effect.yieldNow),
    told: Queue.take(requests)
  }
})

export type DueHere = Effect.Success<typeof makeDueHere>

export const makeListen = Effect.fnUntraced(function* (dueHere: DueHere) {
  const pg = yield* PgClient.PgClient

  const listen: Targets["listen"] = (onWake) =>
    Effect.gen(function* () {
      const wakeUps = yield* pg.listen(dueChannel)
      const later = yield* FiberHandle.make()
      const wakeLater = FiberHandle.run(later, Effect.delay(onWake, lostResponseDelay), { onlyIfMissing: true })
      // Something may have fallen due before listening began.
      yield* onWake
      return yield* Effect.forever(
        Effect.flatMap(Queue.take(wakeUps), ({ payload }) => (payload === dueHere.payload ? wakeLater : onWake))
      )
    }).pipe(Effect.scoped, mapDatabaseErrors("listening for wake-ups"))

  const listenHere: Targets["listenHere"] = (onWake) => Effect.forever(Effect.andThen(dueHere.told, onWake))

  return { listen, listenHere }
})
