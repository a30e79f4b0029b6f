import { type Duration, Effect, Layer, Schedule } from "effect"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { Deliverer } from "./Deliverer.ts"
import { recordBacklog } from "./telemetry.ts"

const dispatchInterval = "500 millis"
const deliveryInterval = "1 second"

const backlogInterval = "10 seconds"

const dispatchLimit = 500

export const dispatchAll = Effect.gen(function* () {
  const { events } = yield* Repo
  const { wake } = yield* Deliverer
  const batch = Effect.tap(events.dispatch(dispatchLimit), ({ deliveries }) => (deliveries > 0 ? wake : Effect.void))
  yield* Effect.repeat(batch, { until: (dispatched) => dispatched.events < dispatchLimit })
})

const every = <E, R>(interval: Duration.Input, round: Effect.Effect<unknown, E, R>) =>
  Effect.forkScoped(Effect.repeat(round, Schedule.spaced(interval)))

/**
 * Runs in every process, independently of publishing. One process at a time dispatches events; each claims its own
 * deliveries. The next round repeats a failed round's work.
 */
export const webhookFibers = Layer.effectDiscard(
  Effect.gen(function* () {
    const deliverer = yield* Deliverer
    const { webhooks } = yield* Repo

    // Registered first, so that it runs after the fibers below have ended.
    yield* Effect.addFinalizer(() => deliverer.drain)
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(deliverer.woken, bestEffort("Deliveries could not be claimed")(deliverer.tick)))
    )
    yield* every(deliveryInterval, deliverer.wake)
    yield* every(dispatchInterval, bestEffort("Events could not be dispatched")(dispatchAll))
    yield* every(
      backlogInterval,
      bestEffort("The backlog of deliveries could not be read")(Effect.flatMap(webhooks.backlog, recordBacklog))
    )
  })
)
