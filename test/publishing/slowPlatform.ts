import { Context, DateTime, Duration, Effect, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  Accepted,
  type Dropped,
  type OutcomeUnknown,
  Preparing,
  type Publication,
  type Unavailable
} from "../../src/domain/publishing/platformError.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { scriptedSend } from "./scriptedSend.ts"
import { perPlatform } from "../support/platforms/perPlatform.ts"

export const minute = Duration.minutes(1)
const longestProcessing = Duration.hours(6)

export const accepted = new Accepted({ message: "It is being processed", askAfter: minute })
export const preparing = (begun: string) =>
  new Preparing({ message: "It is being made", begun: { begun }, askAfter: minute })
export const published: Publication = { platformPostId: "1", url: "https://platform.test/1" }
export const unaddressed: Publication = { platformPostId: null, url: null, addressFollows: true }

/** The results of the next calls of a slow platform. Each is used once. Later calls publish. */
interface Results {
  readonly prepare: Array<Effect.Effect<void, Preparing | Unavailable>>
  readonly send: Array<Effect.Effect<Publication, Accepted | OutcomeUnknown>>
  readonly reconcile: Array<Effect.Effect<Publication, Accepted | Dropped | Unavailable | OutcomeUnknown>>
  readonly find: Array<Effect.Effect<Option.Option<Publication>, Accepted>>
  readonly findAddress: Array<Effect.Effect<Option.Option<Publication>>>
}

export class Slow extends Context.Service<
  Slow,
  {
    readonly results: Results
    readonly calls: Array<string>
    /** The send times of posts whose addresses were requested. */
    readonly soughtSends: Array<DateTime.Utc>
  }
>()("test/Slow") {}

const readBegun = Schema.decodeUnknownSync(Schema.NullOr(Schema.Struct({ begun: Schema.String })))
const readPost = Schema.decodeUnknownSync(Schema.Struct({ text: Schema.String, made: Schema.String }))

const slowPlatform = Layer.effectContext(
  Effect.sync(() => {
    const results: Results = { prepare: [], send: [], reconcile: [], find: [], findAddress: [] }
    const calls: Array<string> = []
    const soughtSends: Array<DateTime.Utc> = []
    const adapter: PlatformAdapter = {
      maxReconcileAttempts: 3,
      longestProcessing,
      preparesThere: true,
      renew: () => Effect.die("Unexpected renewal"),
      prepare: ({ begun = null, isSought, text }) =>
        Effect.suspend(() => {
          const from = readBegun(begun)?.begun ?? "nothing"
          const made = isSought === true ? "nothing" : from
          calls.push(isSought === true ? "prepare to find" : `prepare from ${from}`)
          return Effect.as(isSought === true ? Effect.void : (results.prepare.shift() ?? Effect.void), {
            _tag: "SlowPost",
            text,
            made
          })
        }),
      ...scriptedSend((prepared) =>
        Effect.suspend(() => {
          const { made, text } = readPost(prepared)
          calls.push(`send ${text} from ${made}`)
          return results.send.shift() ?? Effect.succeed(published)
        })
      ),
      reconcile: () =>
        Effect.suspend(() => {
          calls.push("reconcile")
          return results.reconcile.shift() ?? Effect.succeed(published)
        }),
      find: () =>
        Effect.suspend(() => {
          calls.push("find")
          return results.find.shift() ?? Effect.succeedNone
        }),
      findAddress: (_prepared, _account, publishedAt) =>
        Effect.suspend(() => {
          calls.push("findAddress")
          soughtSends.push(publishedAt)
          return results.findAddress.shift() ?? Effect.succeedNone
        })
    }
    return Context.make(
      PlatformClient,
      perPlatform(() => adapter)
    ).pipe(Context.add(Slow, { results, calls, soughtSends }))
  })
)

export const publishDue = Effect.gen(function* () {
  const publisher = yield* Publisher
  const claimed = yield* publisher.tick
  yield* publisher.idle
  return claimed
})

export const later = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), publishDue)

export const parts = ["Second", "Third"].map((content) => ({
  content,
  platform_overrides: {},
  media: [],
  platforms: null,
  card: null
}))

/** The platform, without an earlier test's unused results. */
export const freshSlow = Effect.map(Slow, (slow) => {
  for (const left of Object.values(slow.results)) left.length = 0
  return slow
})

/** A post that is due in a minute, the only one of its workspace. No other post waits for its address. */
export const makePost = Effect.fnUntraced(function* (more: Partial<ReturnType<typeof plan>> = {}) {
  const { calls } = yield* Slow
  yield* (yield* SqlClient.SqlClient)`DELETE FROM address_looks`
  calls.length = 0
  const workspace = yield* makeWorkspace(["twitter"])
  const at = DateTime.addDuration(yield* DateTime.now, minute)
  const { id } = yield* (yield* Repo).posts.create(workspace, { ...plan(at), ...more })
  return { workspace, id, at }
})
export type Made = Effect.Success<ReturnType<typeof makePost>>

export const stateOf = Effect.fnUntraced(function* ({ id, workspace }: Made) {
  const post = yield* (yield* Repo).posts.get(workspace, id)
  const [target] = post.post_targets
  return { post, target: target ?? (yield* Effect.die("The post has no target")) }
})

export const shown = (made: Made) =>
  Effect.map(stateOf(made), ({ post, target }) => [post.status, target.status, target.error?.code ?? null])

export const notifications = Effect.fnUntraced(function* ({ workspace }: Made) {
  const { data } = yield* (yield* Repo).notifications.page(workspace, 0, 10)
  return data.map(({ type }) => type)
})

export const callsOf = Effect.map(Slow, ({ calls }) => calls.splice(0))

export const stack = publisherLayer.pipe(Layer.provideMerge(slowPlatform), Layer.provideMerge(repoLayer))
