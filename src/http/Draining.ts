import { Context, type Duration, Effect, Layer, Ref } from "effect"
import { setImmediate } from "node:timers/promises"

/** So many iterations of the event loop without a connection mean that none waits. */
const quietIterations = 3

/** A bound for servers to which clients connect without a pause. */
const maxIterations = 2000

/** Waits until Node's event loop has looked for connections and data. A yield of Effect need not wait for that. */
const nextIteration = Effect.promise(() => setImmediate())

/** Whether the process is about to stop: it serves every request, but is not ready. */
export class Draining extends Context.Service<
  Draining,
  {
    readonly begin: Effect.Effect<void>
    readonly isDraining: () => boolean
    /** Counts a connection that was accepted. */
    readonly countConnection: () => void
    /** Waits until the connections that wait were accepted, of which Node accepts one in each iteration of its event loop. */
    readonly accepted: Effect.Effect<void>
  }
>()("social-publisher/http/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.gen(function* () {
      const state = yield* Ref.make(false)
      let connections = 0
      const accepted = Effect.gen(function* () {
        let seen = connections
        let quiet = 0
        for (let iteration = 0; quiet < quietIterations && iteration < maxIterations; iteration++) {
          yield* nextIteration
          quiet = connections === seen ? quiet + 1 : 0
          seen = connections
        }
      })
      return Draining.of({
        begin: Ref.set(state, true),
        isDraining: () => Ref.getUnsafe(state),
        countConnection: () => void connections++,
        accepted
      })
    })
  )
}

/**
 * Serves for `time` more when its scope closes, so that proxies that ask /readyz turn to other processes first.
 * Ends right after Node has accepted what was waiting: connections that a closed server has not accepted are reset, and a proxy
 * must not repeat a request that it has sent.
 */
export const drainLayer = (time: Duration.Input) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { accepted, begin } = yield* Draining
      yield* Effect.addFinalizer(() => begin.pipe(Effect.andThen(Effect.sleep(time)), Effect.andThen(accepted)))
    })
  )
