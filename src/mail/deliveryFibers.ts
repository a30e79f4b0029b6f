import { type Duration, Effect, Layer, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { DeliveryBacklog } from "../repo/notifications/Deliveries.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import type { Worker } from "../worker/makeWorker.ts"

const interval = "1 second"
const backlogInterval = "10 seconds"

const dispatchLimit = 500

/** Chooses the receivers of all new notifications. */
export const dispatchNotifications = Effect.gen(function* () {
  const { deliveries } = yield* Repo
  yield* Effect.repeat(deliveries.dispatch(dispatchLimit), { until: (dispatched) => dispatched < dispatchLimit })
})

const every = <E, R>(pause: Duration.Input, round: Effect.Effect<unknown, E, R>) =>
  Effect.forkScoped(Effect.repeat(round, Schedule.spaced(pause)))

/** Runs in every process, independently of publishing. The next round repeats a failed round's work. */
export const dispatchFiber = Layer.effectDiscard(
  every(interval, bestEffort("Notifications could not be dispatched")(dispatchNotifications))
)

/** As the dispatcher. */
export const runDeliverer = Effect.fnUntraced(function* (
  deliverer: Worker<DatabaseUnavailable>,
  backlog: Effect.Effect<DeliveryBacklog, DatabaseUnavailable>,
  recordBacklog: (backlog: DeliveryBacklog) => Effect.Effect<void>
) {
  // Registered first, so that it runs after the fibers below have ended.
  yield* Effect.addFinalizer(() => deliverer.drain)
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(deliverer.woken, bestEffort("Messages could not be claimed")(deliverer.tick)))
  )
  yield* every(interval, deliverer.wake)
  yield* every(
    backlogInterval,
    bestEffort("The backlog of messages could not be read")(Effect.flatMap(backlog, recordBacklog))
  )
})
