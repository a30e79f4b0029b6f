import { NodeRuntime } from "@effect/platform-node"
import { Context, Effect, Layer, Option, Random, Redacted, Result, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { LivePlatform } from "../../../src/domain/platform.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import type { Fault, Faults } from "../../../src/sandbox/state/faults.ts"
import type { Met, StandInMessage, StandInOptions } from "./standInMessages.ts"

const options: StandInOptions = JSON.parse(process.argv[2] ?? "{}")

const tell = (message: StandInMessage) => Effect.sync(() => process.send?.(message))

const half = Effect.map(Random.nextBoolean, (first) => (first ? "before_commit" : "after_commit"))

/** What the next send meets: each of the five faults with the same probability, and otherwise nothing. */
const nextFault = Effect.gen(function* (): Effect.fn.Return<readonly [Met, Fault | undefined]> {
  const drawn = Math.floor((yield* Random.next) / options.faultRate)
  const when = yield* half
  const seconds = yield* Random.nextIntBetween(1, 3)
  switch (drawn) {
    case 0:
      return [`5xx ${when}`, { kind: "status", status: 503, when }]
    case 1:
      return ["429", { kind: "status", status: 429, reset_after: seconds }]
    case 2:
      return ["reset before_commit", { kind: "reset", when: "before_commit" }]
    case 3:
      return ["reset after_commit", { kind: "reset", when: "after_commit" }]
    case 4:
      return [`hang ${when}`, { kind: "hang", when }]
    default:
      return ["nothing", undefined]
  }
})

const TextOf = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ record: Schema.Struct({ text: Schema.String }) }),
    Schema.Struct({ text: Schema.String })
  ])
)
const decodeText = Schema.decodeUnknownResult(TextOf)

/** What the request that is being answered wants to post. */
const textSent = Effect.gen(function* () {
  const request = Option.getOrThrow(Context.getOption(yield* Effect.context(), HttpServerRequest.HttpServerRequest))
  const body = Result.getOrThrow(decodeText(yield* Effect.orDie(request.text)))
  return "record" in body ? body.record.text : body.text
})

const standIn = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const sends: Array<{ platform: LivePlatform; text: string; met: Met }> = []
  const take: Faults["take"] = (platform, call) =>
    call === "publish"
      ? Effect.gen(function* () {
          const text = yield* textSent
          const [met, fault] = yield* nextFault
          sends.push({ platform, text, met })
          return fault
        })
      : Effect.undefined
  // The sandbox asks this for every call: instead of orders the seed answers, and what each send met is written down.
  Object.assign(sandbox.faults, { take })

  const accounts = yield* Effect.forEach(
    Array.from({ length: options.workspaces }, (_, number) => `workspace ${number + 1}`),
    (seed) =>
      Effect.forEach(LivePlatform.literals, (platform) =>
        Effect.map(sandbox.connect(platform, seed), ({ credentials, ...account }) => ({
          platform,
          ...account,
          credentials: Redacted.value(credentials)
        }))
      )
  )
  const report = Effect.flatMap(sandbox.posts, (posts) =>
    tell({
      _tag: "Report",
      sends,
      posts: posts.map(({ accountId, at, id, platform, text }) => ({ platform, accountId, id, text, at }))
    })
  )
  const run = Effect.runForkWith(yield* Effect.context())
  process.on("message", () => run(report))
  yield* tell({ _tag: "Ready", url: sandbox.apiUrls.twitter, accounts })
  return yield* Effect.callback<void>((resume) => void process.once("disconnect", () => resume(Effect.void)))
})

NodeRuntime.runMain(
  standIn.pipe(
    Effect.provide(Layer.fresh(Sandbox.layer({ limits: false }))),
    Random.withSeed(options.seed),
    Effect.scoped
  )
)
