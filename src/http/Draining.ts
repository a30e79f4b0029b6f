import { Context, type Duration, Effect, Layer, Ref } from "effect"

/** After this many event-loop iterations without a new connection, no connection waits. */
const quietIterations = 3

/** A bound for servers with an endless stream of new connections. */
const maxIterations = 2000

/** Waits until Node's event loop has polled for connections and data, which Effect's yield need not do. */
const nextIteration = Effect.andThen(Effect.sleep("1 milli"), Effect.yieldNow)

/** A draining process serves every request but is not ready. */
export class Draining extends Context.Service<
  Draining,
  {
    readonly begin: Effect.Effect<void>
    readonly isDraining: () => boolean
    readonly countConnection: () => void
    /** Waits until Node has accepted all pending connections: one per iteration of its event loop. */
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
 * Serves for `time` more when its scope closes, so that proxies that poll /readyz turn to other processes. Then waits
 * until Node has accepted the pending connections: closing would reset them, and a proxy must not repeat a sent
 * request.
 */
export const drainLayer = (time: Duration.Input) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { accepted, begin } = yield* Draining
      yield* Effect.addFinalizer(() => begin.pipe(Effect.andThen(Effect.sleep(time)), Effect.andThen(accepted)))
    })
  )
