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
    /** Forgets what has arrived. `delay` is how long each response takes from now on, in milliseconds. */
    reset: (delay: number) => ask({ _tag: "reset", delay }, Done),
    /** Waits until so many posts have arrived. */
    wait: (count: number) => ask({ _tag: "wait", count }, Done),
    /** Every hundredth of the events that arrived below /hooks/. */
    sample: Effect.map(ask({ _tag: "sample" }, Sample), ({ sample }) => sample),
    /** When each post arrived, by its text, and each event, by its path and id. Fails where one arrived twice. */
    arrivals: ask({ _tag: "arrivals" }, Arrivals).pipe(
      Effect.flatMap(({ arrivals, doubled }) =>
        doubled === 0 ? Effect.succeed(new Map(arrivals)) : Effect.die(new Error(`${doubled} posts arrived twice`))
      )
    )
  }
})

export type Platform = Effect.Success<typeof startPlatform>
