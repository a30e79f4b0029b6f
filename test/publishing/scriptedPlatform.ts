import { Context, Effect, Layer, Queue } from "effect"
import { OutcomeUnknown, type PlatformError, type Publication } from "../../src/domain/platformError.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"

/** One call that a platform got. */
export interface Call {
  readonly platform: LivePlatform
  readonly call: "publish" | "reconcile"
  readonly text: string
}

type Answer = Effect.Effect<Publication, PlatformError>

/** What the platforms do, as the tests order it: an answer a call, and `ok` once the orders are used up. */
export class Script extends Context.Service<
  Script,
  {
    readonly answer: (platform: LivePlatform, ...answers: ReadonlyArray<Answer>) => Effect.Effect<void>
    /** The calls since this was last asked. */
    readonly calls: Effect.Effect<ReadonlyArray<Call>>
    /** Waits for a call. */
    readonly nextCall: Effect.Effect<Call>
  }
>()("test/Script") {}

export const ok: Answer = Effect.succeed({ platformPostId: "1", url: "https://platform.test/1" })

const maxReconcileAttempts = 3

export const scriptedPlatform = Layer.effectContext(
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<Call>()
    const answers: Record<LivePlatform, Array<Answer>> = { twitter: [], bluesky: [] }
    const answered = (platform: LivePlatform, call: Call["call"], prepared: unknown): Answer =>
      Effect.andThen(
        Queue.offer(calls, { platform, call, text: String(prepared) }),
        Effect.suspend(() => answers[platform].shift() ?? ok)
      )
    const adapter = (platform: LivePlatform): PlatformAdapter => ({
      maxReconcileAttempts,
      prepare: (message) => Effect.succeed(message.text),
      publish: (prepared) => answered(platform, "publish", prepared),
      reconcile: (prepared) => answered(platform, "reconcile", prepared)
    })
    return Context.make(PlatformClient, { twitter: adapter("twitter"), bluesky: adapter("bluesky") }).pipe(
      Context.add(Script, {
        answer: (platform, ...more) => Effect.sync(() => void answers[platform].push(...more)),
        calls: Queue.clear(calls),
        nextCall: Queue.take(calls)
      })
    )
  })
)

export const unknown: Answer = Effect.fail(new OutcomeUnknown({ message: "The connection was lost" }))
