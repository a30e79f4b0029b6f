import { type Duration, Effect, Layer, Schedule } from "effect"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { MailDeliverer } from "./MailDeliverer.ts"
import { recordBacklog } from "./telemetry.ts"

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
export const mailFibers = Layer.effectDiscard(
  Effect.gen(function* () {
    const deliverer = yield* MailDeliverer
    const { deliveries } = yield* Repo

    // Registered first, so that it runs after the fibers below have ended.
    yield* Effect.addFinalizer(() => deliverer.drain)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(deliverer.woken, bestEffort("Messages could not be claimed")(deliverer.tick)))
    )
    yield* every(interval, deliverer.wake)
    yield* every(interval, bestEffort("Notifications could not be dispatched")(dispatchNotifications))
    yield* every(
      backlogInterval,
      bestEffort("The backlog of mail could not be read")(Effect.flatMap(deliveries.backlog, recordBacklog))
    )
  })
)
