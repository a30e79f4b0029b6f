import { Context, Effect, References, type Tracer } from "effect"

/** Like Effect.withSpan, but without its cost if no spans are exported, because each post passes through several. */
export const span =
  (name: string, options?: Tracer.SpanOptions) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Context.get(context, References.TracerEnabled) ? Effect.withSpan(effect, name, options) : effect
    )
