import { Effect, Schema } from "effect"
import { Done, Listening, startScript } from "./childProcess.ts"
import type { PlatformQuestion } from "./platform.ts"

const Arrivals = Schema.Struct({
  arrivals: Schema.Array(Schema.Tuple([Schema.String, Schema.Finite])),
  doubled: Schema.Int
})

const Sample = Schema.Struct({
  sample: Schema.Array(
    Schema.Struct({ path: Schema.String, headers: Schema.Record(Schema.String, Schema.String), body: Schema.String })
  )
})

/** Starts the stand-in for X and for the receivers of webhooks. */
export const startPlatform = Effect.gen(function* () {
  const script = yield* startScript("support/platform.ts")
  const ask = <A, I>(question: PlatformQuestion, Answer: Schema.Codec<A, I>) => script.ask(question, Answer)
  const { port } = yield* ask({ _tag: "listen" }, Listening)
  return {
    url: `http://127.0.0.1:${port}`,
    /** Forgets all arrivals. `delay` is the delay of each later response, in milliseconds. */
    reset: (delay: number) => ask({ _tag: "reset", delay }, Done),
    /** Waits until this many posts have arrived. */
    wait: (count: number) => ask({ _tag: "wait", count }, Done),
    /** Every hundredth event that arrived at a path below /hooks/. */
    sample: Effect.map(ask({ _tag: "sample" }, Sample), ({ sample }) => sample),
    /** The arrival times of posts by text, and of events by path and id. Fails if a post or event arrived twice. */
    arrivals: ask({ _tag: "arrivals" }, Arrivals).pipe(
      Effect.flatMap(({ arrivals, doubled }) =>
        doubled === 0 ? Effect.succeed(new Map(arrivals)) : Effect.die(new Error(`${doubled} posts arrived twice`))
      )
    )
  }
})

export type Platform = Effect.Success<typeof startPlatform>
