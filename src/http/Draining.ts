import { Context, type Duration, Effect, Layer, Ref } from "effect"

/** Whether the process is about to stop: it serves every request, but ends each connection with its response and is not ready. */
export class Draining extends Context.Service<
  Draining,
  {
    readonly begin: Effect.Effect<void>
    readonly isDraining: () => boolean
  }
>()("social-publisher/http/Draining") {
  static readonly layer = Layer.effect(
    Draining,
    Effect.map(Ref.make(false), (state) =>
      Draining.of({ begin: Ref.set(state, true), isDraining: () => Ref.getUnsafe(state) })
    )
  )
}

/**
 * Serves for `time` more when its scope closes, so that proxies turn to other processes before this one refuses connections.
 * Ends right after Node has accepted what was waiting: connections that a closed server has not accepted are reset, and a proxy
 * must not repeat a request that it has sent.
 */
export const drainLayer = (time: Duration.Input) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { begin } = yield* Draining
      yield* Effect.addFinalizer(() => begin.pipe(Effect.andThen(Effect.sleep(time)), Effect.andThen(Effect.yieldNow)))
    })
  )
