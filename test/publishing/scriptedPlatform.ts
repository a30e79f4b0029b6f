import { Context, Effect, Layer, type Option, Queue } from "effect"
import {
  type Accepted,
  type DuplicateRefused,
  OutcomeUnknown,
  type PlatformError,
  type Publication
} from "../../src/domain/publishing/platformError.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { type PlatformAdapter, PlatformClient, type Prepared } from "../../src/platforms/PlatformClient.ts"

import { adapterPost, readAdapterPost } from "./adapterJson.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

/** A call that a platform received. */
export interface Call {
  readonly platform: LivePlatform
  readonly call: "publish" | "reconcile" | "find"
  readonly text: string
}

type Result = Effect.Effect<Publication, PlatformError | Accepted | DuplicateRefused>
type Look = Effect.Effect<Option.Option<Publication>, PlatformError>

/** Scripts the platforms: one result for each call, and then `ok`. */
export class Script extends Context.Service<
  Script,
  {
    readonly respond: (platform: LivePlatform, ...results: ReadonlyArray<Result>) => Effect.Effect<void>
    /** Scripts one result for each look. Later looks find nothing. */
    readonly find: (platform: LivePlatform, ...looks: ReadonlyArray<Look>) => Effect.Effect<void>
    /** The calls since the last read. */
    readonly calls: Effect.Effect<ReadonlyArray<Call>>
    /** Waits for the next call. */
    readonly nextCall: Effect.Effect<Call>
  }
>()("test/Script") {}

export const ok: Effect.Effect<Publication> = Effect.succeed({ platformPostId: "1", url: "https://platform.test/1" })

const maxReconcileAttempts = 3

export const scriptedPlatform = Layer.effectContext(
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<Call>()
    const results: Record<LivePlatform, Array<Result>> = perPlatform(() => [])
    const looks: Record<LivePlatform, Array<Look>> = perPlatform(() => [])
    const record = (platform: LivePlatform, call: Call["call"], prepared: Prepared) =>
      Queue.offer(calls, { platform, call, text: readAdapterPost(prepared).text })
    const nextResult = (platform: LivePlatform): Result => Effect.suspend(() => results[platform].shift() ?? ok)
    const adapter = (platform: LivePlatform): PlatformAdapter => ({
      maxReconcileAttempts,
      renew: () => Effect.die("Unexpected renewal"),
      prepare: (request) => Effect.succeed(adapterPost(platform, request)),
      ...scriptedSend((prepared) => Effect.andThen(record(platform, "publish", prepared), nextResult(platform))),
      reconcile: (prepared) =>
        Effect.andThen(
          record(platform, "reconcile", prepared),
          Effect.catchTag(nextResult(platform), "DuplicateRefused", Effect.die)
        ),
      find: (prepared) =>
        Effect.andThen(
          record(platform, "find", prepared),
          Effect.suspend(() => looks[platform].shift() ?? Effect.succeedNone)
        )
    })
    return Context.make(PlatformClient, perPlatform(adapter)).pipe(
      Context.add(Script, {
        respond: (platform, ...more) => Effect.sync(() => void results[platform].push(...more)),
        find: (platform, ...more) => Effect.sync(() => void looks[platform].push(...more)),
        calls: Queue.clear(calls),
        nextCall: Queue.take(calls)
      })
    )
  })
)

export const unknown: Result = Effect.fail(new OutcomeUnknown({ message: "The connection was lost" }))
