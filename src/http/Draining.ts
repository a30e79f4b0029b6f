import { Context, type Duration, Effect, Layer, Ref } from "effect"

/** After this many turns of the event loop without a new connection, none are pending. */
const quietIterations = 3

/** A limit, because new connections may never stop coming. */
const maxIterations = 2000

/** Waits until Node's event loop has polled for connections and data, which Effect's yield alone does not ensure. */
const nextIteration = Effect.andThen(Effect.sleep("1 milli"), Effect.yieldNow)

/** A process that drains still serves every request, but /readyz reports that it is not ready. */
export class Draining extends Context.Service<
  Draining,
  {
    readonly begin: Effect.Effect<void>
    readonly isDraining: () => boolean
    readonly countConnection: () => void
    /** Waits until Node has accepted all pending connections. It accepts one per iteration of its event loop. */
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
 * Keeps serving for `time` after its scope closes, so that proxies that poll /readyz choose other processes. Then waits
 * until Node has accepted the pending connections. Closing the server would reset them, and a proxy must not repeat a
 * request that it has sent.
 */
export const drainLayer = (time: Duration.Input) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { accepted, begin } = yield* Draining
      yield* Effect.addFinalizer(() => begin.pipe(Effect.andThen(Effect.sleep(time)), Effect.andThen(accepted)))
    })
  )
