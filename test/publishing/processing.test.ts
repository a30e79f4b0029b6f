import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Deferred, Duration, Effect, Fiber, Layer, type Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import {
  Accepted,
  Dropped,
  OutcomeUnknown,
  Preparing,
  type Publication,
  Unavailable
} from "../../src/domain/publishing/platformError.ts"
import { nextTargetId } from "../../src/domain/ids.ts"
import { type PlatformAdapter, PlatformClient } from "../../src/platforms/PlatformClient.ts"
import { findAddresses } from "../../src/publishing/findAddresses.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { prepareTimeout } from "../../src/publishing/timing.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"
import { planPublish } from "../support/plans.ts"
import { settled } from "./claimed.ts"
import { publisherLayer } from "./publisherLayer.ts"
import { scriptedSend } from "./scriptedSend.ts"

const minute = Duration.minutes(1)
const longestProcessing = Duration.hours(6)

const accepted = new Accepted({ message: "It is being processed", askAfter: minute })
const preparing = (begun: string) => new Preparing({ message: "It is being made", begun: { begun }, askAfter: minute })
const published: Publication = { platformPostId: "1", url: "https://platform.test/1" }
const unaddressed: Publication = { platformPostId: null, url: null, addressFollows: true }

/** The results of the next calls of a platform that takes its time. Each is used once; what follows the last one publishes. */
interface Results {
  readonly prepare: Array<Effect.Effect<void, Preparing | Unavailable>>
  readonly send: Array<Effect.Effect<Publication, Accepted | OutcomeUnknown>>
  readonly reconcile: Array<Effect.Effect<Publication, Accepted | Dropped | Unavailable | OutcomeUnknown>>
  readonly find: Array<Effect.Effect<Option.Option<Publication>, Accepted>>
  readonly findAddress: Array<Effect.Effect<Option.Option<Publication>>>
}

class Slow extends Context.Service<
  Slow,
  {
    readonly results: Results
    readonly calls: Array<string>
    /** The times of the sends whose addresses were asked for. */
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
    return Context.make(PlatformClient, { twitter: adapter, bluesky: adapter }).pipe(
      Context.add(Slow, { results, calls, soughtSends })
    )
  })
)

const publishDue = Effect.gen(function* () {
  const publisher = yield* Publisher
  const claimed = yield* publisher.tick
  yield* publisher.idle
  return claimed
})

const later = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), publishDue)

const parts = ["Second", "Third"].map((content) => ({
  content,
  platform_overrides: {},
  media: [],
  platforms: null,
  card: null
}))

/** The platform without the results that an earlier test has left. */
const freshSlow = Effect.map(Slow, (slow) => {
  for (const left of Object.values(slow.results)) left.length = 0
  return slow
})

/** A post that is due in a minute, the only one of its workspace. No other post waits for its address. */
const makePost = Effect.fnUntraced(function* (more: Partial<ReturnType<typeof plan>> = {}) {
  const { calls } = yield* Slow
  yield* (yield* SqlClient.SqlClient)`DELETE FROM address_looks`
  calls.length = 0
  const workspace = yield* makeWorkspace(["twitter"])
  const at = DateTime.addDuration(yield* DateTime.now, minute)
  const { id } = yield* (yield* Repo).posts.create(workspace, { ...plan(at), ...more })
  return { workspace, id, at }
})
type Made = Effect.Success<ReturnType<typeof makePost>>

const stateOf = Effect.fnUntraced(function* ({ id, workspace }: Made) {
  const post = yield* (yield* Repo).posts.get(workspace, id)
  const [target] = post.post_targets
  return { post, target: target ?? (yield* Effect.die("The post has no target")) }
})

const shown = (made: Made) =>
  Effect.map(stateOf(made), ({ post, target }) => [post.status, target.status, target.error?.code ?? null])

const notifications = Effect.fnUntraced(function* ({ workspace }: Made) {
  const { data } = yield* (yield* Repo).notifications.page(workspace, 0, 10)
  return data.map(({ type }) => type)
})

const callsOf = Effect.map(Slow, ({ calls }) => calls.splice(0))

const stack = publisherLayer.pipe(Layer.provideMerge(slowPlatform), Layer.provideMerge(repoLayer))

layer(stack)("A platform that has taken a post", (it) => {
  it.effect("The target stays publishing, keeps no slot, and is published once the platform says so", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      // More often than a missing post is looked for, and than a post is attempted.
      results.reconcile.push(...Array.from({ length: 20 }, () => Effect.fail(accepted)))
      const post = yield* makePost()
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      assert.deepStrictEqual((yield* stateOf(post)).target.processing_since, post.at)
      const { id: second } = yield* (yield* Repo).posts.create(post.workspace, { ...plan(post.at), content: "Second" })
      yield* publishDue
      assert.strictEqual((yield* (yield* Repo).posts.get(post.workspace, second)).status, "published")
      yield* callsOf
      yield* Effect.repeat(later(minute), { times: 20 })
      assert.deepStrictEqual(
        yield* callsOf,
        Array.from({ length: 21 }, () => "reconcile")
      )
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.isUndefined(target.processing_since)
      assert.deepStrictEqual(yield* notifications(post), ["post.published", "post.published"])
    })
  )

  it.effect("The post can't be deleted until that has ended", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      const post = yield* makePost()
      const { posts } = yield* Repo
      yield* later(minute)
      assert.strictEqual((yield* Effect.flip(posts.remove(post.workspace, post.id)))._tag, "InvalidState")
      yield* later(minute)
      assert.deepStrictEqual(yield* posts.remove(post.workspace, post.id), { leftOnPlatforms: 1 })
    })
  )

  it.effect("It is left to a person after the platform's longest time, and never sent again by itself", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      results.reconcile.push(...Array.from({ length: 400 }, () => Effect.fail(accepted)))
      const post = yield* makePost()
      yield* later(minute)
      yield* Effect.repeat(later(minute), { times: 358 })
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "outcome_unknown"])
      assert.include((yield* stateOf(post)).target.error?.message ?? "", "6h ago")
      assert.deepStrictEqual(yield* notifications(post), ["post.failed"])
      assert.strictEqual((yield* callsOf).filter((call) => call.startsWith("send")).length, 1)
      results.reconcile.length = 0
    })
  )

  it.effect("One that the platform dropped has failed, and is sent again without a look once a person says so", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      results.reconcile.push(Effect.fail(new Dropped({ message: "The video is too dark" })))
      const post = yield* makePost()
      yield* later(minute)
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "rejected"])
      assert.strictEqual((yield* stateOf(post)).target.error?.message, "The video is too dark")
      yield* callsOf
      yield* (yield* Repo).posts.publish(post.workspace, post.id, planPublish)
      yield* publishDue
      assert.deepStrictEqual(yield* callsOf, ["prepare from nothing", "send Hello from nothing"])
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("A platform that can't be asked says nothing of what it is processing", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      results.reconcile.push(Effect.fail(new Unavailable({ message: "It is away" })), Effect.fail(accepted))
      const post = yield* makePost()
      yield* later(minute)
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", "unavailable"])
      assert.deepStrictEqual((yield* stateOf(post)).target.processing_since, post.at)
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("An unknown outcome that turns out to be processed is asked about from then on", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(new OutcomeUnknown({ message: "Lost" })))
      results.reconcile.push(...Array.from({ length: 5 }, () => Effect.fail(accepted)))
      const post = yield* makePost()
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", "outcome_unknown"])
      yield* later("15 seconds")
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* Effect.repeat(later(minute), { times: 4 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.strictEqual((yield* callsOf).filter((call) => call.startsWith("send")).length, 1)
    })
  )

  it.effect("A look at a post that was processed so far, and can't be told of now, is not its last", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      results.reconcile.push(
        ...Array.from({ length: 5 }, () => Effect.fail(accepted)),
        Effect.fail(new OutcomeUnknown({ message: "It can't be told" }))
      )
      const post = yield* makePost()
      yield* later(minute)
      yield* Effect.repeat(later(minute), { times: 5 })
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", "outcome_unknown"])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("A part of a thread holds those after it until it is out", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(published), Effect.fail(accepted))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* publishDue
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        target.parts?.map(({ status }) => status),
        ["published", "publishing", "pending"]
      )
      yield* later(minute)
      // The platform has nothing of the next part.
      assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", null])
      yield* publishDue
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.deepStrictEqual(
        (yield* callsOf).filter((call) => !call.startsWith("prepare")),
        ["send Hello from nothing", "send Second from nothing", "reconcile", "send Third from nothing"]
      )
    })
  )
})

layer(stack)("A platform that makes something of a post first", (it) => {
  it.effect("The post is sent from it once it is made, and nobody is told of the wait", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.prepare.push(
        Effect.fail(preparing("first")),
        ...Array.from({ length: 20 }, () => Effect.fail(preparing("second")))
      )
      const post = yield* makePost()
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      assert.deepStrictEqual((yield* stateOf(post)).target.processing_since, post.at)
      yield* Effect.repeat(later(minute), { times: 20 })
      assert.deepStrictEqual(
        [...new Set(yield* callsOf)],
        ["prepare from nothing", "prepare from first", "prepare from second", "send Hello from second"]
      )
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.deepStrictEqual(yield* notifications(post), ["post.published"])
    })
  )

  it.effect.each([
    ["taken", Effect.fail(accepted)],
    ["sent, with an unknown outcome,", Effect.fail(new OutcomeUnknown({ message: "Lost" }))]
  ] as const)("The time of that is not the post's own, once it is %s and processed", ([, sent]) =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const long = new Preparing({ message: "", begun: { begun: "it" }, askAfter: Duration.hours(7) })
      results.prepare.push(Effect.fail(long))
      results.send.push(sent)
      results.reconcile.push(Effect.fail(accepted), Effect.fail(accepted))
      const post = yield* makePost()
      yield* later(minute)
      yield* later("7 hours")
      yield* later(minute)
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("What is not ready in time leaves open whether an unknown process has sent the post", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.prepare.push(
        Effect.fail(new Preparing({ message: "", begun: { begun: "it" }, askAfter: Duration.days(1) }))
      )
      const post = yield* makePost()
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "outcome_unknown"])
    })
  )

  it.effect("It may take as long as the post may be late", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.prepare.push(
        ...Array.from({ length: 26 }, () =>
          Effect.fail(new Preparing({ message: "", begun: { begun: "it" }, askAfter: Duration.hours(1) }))
        )
      )
      const post = yield* makePost()
      yield* later(minute)
      yield* Effect.repeat(later("1 hour"), { times: 21 })
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later("1 hour")
      yield* later("1 hour")
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "gave_up"])
      assert.isFalse((yield* callsOf).some((call) => call.startsWith("send")))
      results.prepare.length = 0
      yield* (yield* Repo).posts.publish(post.workspace, post.id, planPublish)
      yield* publishDue
      assert.deepStrictEqual(yield* callsOf, ["prepare from nothing", "send Hello from nothing"])
    })
  )

  it.effect("A failure meanwhile keeps what was begun", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.prepare.push(Effect.fail(preparing("it")), Effect.fail(new Unavailable({ message: "It is away" })))
      const post = yield* makePost()
      yield* later(minute)
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", "unavailable"])
      yield* later(minute)
      assert.deepStrictEqual(yield* callsOf, [
        "prepare from nothing",
        "prepare from it",
        "prepare from it",
        "send Hello from it"
      ])
    })
  )

  it.effect("What the database refuses of it is no reason to lose the post", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.prepare.push(Effect.fail(preparing("\0")))
      const post = yield* makePost()
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", "unavailable"])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("A post that is only looked for has nothing made, and is prepared anew before it is sent", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.prepare.push(Effect.fail(preparing("it")))
      const post = yield* makePost()
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      yield* later(minute)
      const first = ["prepare to find", "find", "prepare from nothing"]
      const second = ["prepare to find", "find", "prepare from it", "send Hello from it"]
      assert.deepStrictEqual(yield* callsOf, [...first, ...second])
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("What took long to be made is given the platform's longest time once it is taken", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      const slow = new Preparing({ message: "", begun: { begun: "it" }, askAfter: Duration.hours(1) })
      results.prepare.push(...Array.from({ length: 7 }, () => Effect.fail(slow)))
      results.send.push(Effect.fail(accepted))
      const post = yield* makePost()
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      yield* Effect.repeat(later("1 hour"), { times: 6 })
      assert.include(yield* callsOf, "send Hello from it")
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("A post that a restored database does not know of may be processed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.find.push(Effect.fail(accepted), Effect.succeedSome(published))
      const post = yield* makePost()
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.deepStrictEqual(yield* callsOf, ["prepare to find", "find", "prepare to find", "find"])
    })
  )
})

layer(stack)("A platform that tells an address later", (it) => {
  const urlOf = (post: Made) => Effect.map(stateOf(post), ({ target }) => target.platform_post_url)
  const look = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), findAddresses)
  const found = (id: string): Effect.Effect<Option.Option<Publication>> =>
    Effect.succeedSome({ platformPostId: id, url: `https://platform.test/${id}` })

  it.effect("The post is published at once, and its address is filled in", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(Effect.succeedNone, found("7"))
      const post = yield* makePost()
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.isNull(yield* urlOf(post))
      yield* callsOf
      yield* look("59 seconds")
      assert.deepStrictEqual(yield* callsOf, [])
      yield* look("1 second")
      assert.isNull(yield* urlOf(post))
      yield* look("9 minutes")
      yield* look(minute)
      assert.strictEqual(yield* urlOf(post), "https://platform.test/7")
      yield* look("2 days")
      assert.deepStrictEqual(yield* callsOf, ["findAddress", "findAddress"])
    })
  )

  it.effect("It is asked for by the time of its send, however long the platform processed it", () =>
    Effect.gen(function* () {
      const { results, soughtSends } = yield* Slow
      results.send.push(Effect.fail(accepted))
      results.reconcile.push(Effect.succeed(unaddressed))
      const post = yield* makePost()
      yield* later(minute)
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual(soughtSends.at(-1), post.at)
    })
  )

  it.effect("It is asked four times within a little more than a day, and then no more", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost()
      yield* later(minute)
      yield* callsOf
      yield* Effect.repeat(look("10 minutes"), { times: 6 * 24 * 3 })
      assert.deepStrictEqual(
        yield* callsOf,
        Array.from({ length: 4 }, () => "findAddress")
      )
      assert.lengthOf(yield* sql`SELECT FROM address_looks`, 0)
      assert.isNull(yield* urlOf(post))
    })
  )

  it.effect("Two posts of one account do not get the same address", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed), Effect.succeed(unaddressed))
      results.findAddress.push(found("9"), found("9"))
      const post = yield* makePost()
      const { id: second } = yield* (yield* Repo).posts.create(post.workspace, plan(post.at))
      yield* later(minute)
      yield* publishDue
      yield* look(minute)
      const urls = [yield* urlOf(post), yield* urlOf({ ...post, id: second })]
      assert.sameMembers(urls, [null, "https://platform.test/9"])
    })
  )

  it.effect("A post does not get the address of a part of another thread of its account", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const second = { platformPostId: "42", url: "https://platform.test/42" }
      results.send.push(Effect.succeed(published), Effect.succeed(second), Effect.succeed(published))
      results.findAddress.push(found("42"))
      const thread = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      assert.deepStrictEqual(yield* shown(thread), ["published", "published", null])
      results.send.push(Effect.succeed(unaddressed))
      const { id } = yield* (yield* Repo).posts.create(thread.workspace, plan(yield* DateTime.now))
      yield* publishDue
      yield* callsOf
      yield* look(minute)
      assert.deepStrictEqual(yield* callsOf, ["findAddress"])
      assert.isNull(yield* urlOf({ ...thread, id }))
    })
  )

  it.effect("A post does not get the address of the last part of a thread that was filled in", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(published), Effect.succeed(published), Effect.succeed(unaddressed))
      results.findAddress.push(found("53"), found("53"))
      const thread = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      yield* look(minute)
      results.send.push(Effect.succeed(unaddressed))
      const { id } = yield* (yield* Repo).posts.create(thread.workspace, plan(yield* DateTime.now))
      yield* publishDue
      yield* callsOf
      yield* look(minute)
      assert.deepStrictEqual(yield* callsOf, ["findAddress"])
      assert.isNull(yield* urlOf({ ...thread, id }))
    })
  )

  it.effect("The id of a post on another account is no reason to miss an address", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed({ platformPostId: "61", url: "https://platform.test/61" }))
      yield* makePost()
      yield* later(minute)
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(found("61"))
      const post = yield* makePost()
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE integrations SET account_id = 'another' WHERE workspace_id = ${post.workspace}::uuid`
      yield* sql`UPDATE post_targets SET account_id = 'another' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      yield* look(minute)
      assert.strictEqual(yield* urlOf(post), "https://platform.test/61")
    })
  )

  it.effect.each([
    ["is disconnected", "status = 'needs_reconnect'"],
    ["was replaced by another", "account_id = 'another'"]
  ] as const)("An account that %s is not asked for the address", ([, change]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost()
      yield* later(minute)
      yield* sql`UPDATE integrations SET ${sql.literal(change)} WHERE workspace_id = ${post.workspace}::uuid`
      yield* callsOf
      yield* look(minute)
      assert.deepStrictEqual(yield* callsOf, [])
    })
  )

  it.effect("A look that fails, hangs or finds no address keeps no other from it, and is repeated", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const hangs = yield* Deferred.make<void>()
      results.send.push(...Array.from({ length: 4 }, () => Effect.succeed(unaddressed)))
      results.findAddress.push(
        Effect.die("A mistake"),
        Effect.andThen(Deferred.succeed(hangs, undefined), Effect.never),
        Effect.succeedSome({ platformPostId: "70", url: null }),
        ...["71", "72", "73", "74"].map(found)
      )
      const post = yield* makePost()
      const { posts } = yield* Repo
      const others = yield* Effect.forEach(["b", "c", "d"], (content) =>
        posts.create(post.workspace, { ...plan(post.at), content })
      )
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 3 })
      const urls = Effect.map(
        Effect.forEach([post.id, ...others.map(({ id }) => id)], (id) => urlOf({ ...post, id })),
        (all) => all.filter((url) => url !== null).toSorted()
      )
      yield* TestClock.adjust(minute)
      const looking = yield* Effect.forkChild(findAddresses)
      yield* Deferred.await(hangs)
      yield* settled
      yield* TestClock.adjust(prepareTimeout)
      yield* Fiber.join(looking)
      assert.deepStrictEqual(yield* urls, ["https://platform.test/71"])
      yield* look("10 minutes")
      assert.deepStrictEqual(
        yield* urls,
        [71, 72, 73, 74].map((id) => `https://platform.test/${id}`)
      )
    })
  )

  it.effect("Nothing is asked by a process that may not claim", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      yield* makePost()
      yield* later(minute)
      yield* callsOf
      yield* TestClock.adjust(minute)
      yield* Effect.provideService(findAddresses, ProcessLease, {
        ...(yield* ProcessLease),
        right: Effect.succeedNone
      })
      assert.deepStrictEqual(yield* callsOf, [])
    })
  )

  it.effect("A part whose id is known goes on at once, and its address is filled in once the thread is out", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed({ platformPostId: "81", url: null, addressFollows: true }))
      results.findAddress.push(found("81"), found("81"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", null])
      assert.isNull(yield* urlOf(post))
      yield* Effect.repeat(publishDue, { times: 2 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      yield* look("10 minutes")
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        [target.platform_post_url, target.parts?.[0]?.platform_post_url],
        ["https://platform.test/81", "https://platform.test/81"]
      )
      assert.notInclude(yield* callsOf, "reconcile")
    })
  )

  it.effect("It owns a post that is found by its text until its id is known", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(found("91"))
      const post = yield* makePost({ content: "Ours" })
      yield* later(minute)
      const { targets } = yield* Repo
      const [row] = yield* sql`SELECT account_id FROM post_targets WHERE post_id = ${post.id}::uuid`
      const accountId = yield* Schema.decodeUnknownEffect(Schema.String)(row?.["account_id"])
      const other = { accountId, platform: "twitter", targetId: yield* nextTargetId } as const
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), ["Ours"])
      yield* look(minute)
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), [])
      assert.deepStrictEqual([...(yield* targets.publishedByOthers(other, ["91", "92"]))], ["91"])
    })
  )

  it.effect("A post that was looked for after a restore gets its address too", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { results } = yield* freshSlow
      results.find.push(Effect.succeedSome(unaddressed))
      results.findAddress.push(found("51"))
      const post = yield* makePost()
      yield* sql`UPDATE post_targets SET reconcile_from = due_since - interval '1 hour' WHERE post_id = ${post.id}::uuid`
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      yield* look(minute)
      assert.strictEqual(yield* urlOf(post), "https://platform.test/51")
    })
  )

  it.effect("The part of a thread that others reply to is asked for until its id is known", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      results.reconcile.push(Effect.succeed(unaddressed))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* later(minute)
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
      assert.deepStrictEqual(
        (yield* callsOf).filter((call) => !call.startsWith("prepare")),
        ["send Hello from nothing", "reconcile", "reconcile", "send Second from nothing", "send Third from nothing"]
      )
    })
  )

  it.effect("The address of each part of a thread is filled in, also where several follow", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const first = { platformPostId: "31", url: "https://platform.test/31" }
      const withoutUrl = (platformPostId: string) => ({ platformPostId, url: null, addressFollows: true })
      results.send.push(Effect.succeed(first), Effect.succeed(withoutUrl("32")), Effect.succeed(withoutUrl("33")))
      results.findAddress.push(found("32"), found("33"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      yield* look(minute)
      yield* look("10 minutes")
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        (target.parts ?? []).map(({ platform_post_url }) => platform_post_url),
        [31, 32, 33].map((id) => `https://platform.test/${id}`)
      )
    })
  )

  it.effect("The address of a part is filled in although the thread failed after it", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(
        Effect.succeed({ platformPostId: "41", url: null, addressFollows: true }),
        Effect.fail(new OutcomeUnknown({ message: "Lost", conclusive: true }))
      )
      results.findAddress.push(found("41"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* publishDue
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "outcome_unknown"])
      yield* look(minute)
      const { target } = yield* stateOf(post)
      assert.strictEqual(target.parts?.[0]?.platform_post_url, "https://platform.test/41")
    })
  )

  it.effect("Nothing is asked of a platform while publishing is held", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const sql = yield* SqlClient.SqlClient
      results.send.push(Effect.succeed(unaddressed))
      yield* makePost()
      yield* later(minute)
      yield* callsOf
      yield* sql`INSERT INTO publishing_state (held_since) VALUES (clock_timestamp())
        ON CONFLICT (only_row) DO UPDATE SET held_since = clock_timestamp()`
      yield* look(minute)
      yield* sql`UPDATE publishing_state SET held_since = NULL`
      assert.deepStrictEqual(yield* callsOf, [])
      yield* look(0)
      assert.deepStrictEqual(yield* callsOf, ["findAddress"])
    })
  )

  it.effect("A look keeps the id that is known, and stores one that comes without an address", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const sql = yield* SqlClient.SqlClient
      const idOf = (post: Made) =>
        Effect.map(
          sql`SELECT platform_post_id AS id FROM post_targets WHERE post_id = ${post.id}::uuid`,
          ([row]) => row?.["id"]
        )
      results.send.push(Effect.succeed({ platformPostId: "77", url: null, addressFollows: true }))
      results.findAddress.push(Effect.succeedSome({ platformPostId: null, url: "https://platform.test/77" }))
      const first = yield* makePost()
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual([yield* idOf(first), yield* urlOf(first)], ["77", "https://platform.test/77"])
      results.send.push(Effect.succeed(unaddressed))
      results.findAddress.push(Effect.succeedSome({ platformPostId: "78", url: null }), found("78"))
      const second = yield* makePost()
      yield* later(minute)
      yield* look(minute)
      assert.deepStrictEqual([yield* idOf(second), yield* urlOf(second)], ["78", null])
      yield* look("10 minutes")
      assert.strictEqual(yield* urlOf(second), "https://platform.test/78")
    })
  )

  it.effect("A deleted post without a known id still owns what is found by its text", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost({ content: "Deleted" })
      yield* later(minute)
      const { posts, targets } = yield* Repo
      const other = { accountId: "account-twitter", platform: "twitter", targetId: yield* nextTargetId } as const
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), ["Deleted"])
      yield* posts.remove(post.workspace, post.id)
      assert.deepStrictEqual(yield* targets.unresolvedOthers(other, post.at), ["Deleted"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`DELETE FROM deleted_targets`
    })
  )

  it.effect("A part whose id is not known is asked for from its send on", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const preparation = { message: "", begun: { begun: "a" }, askAfter: Duration.hours(7) }
      results.prepare.push(Effect.fail(new Preparing(preparation)))
      results.send.push(Effect.succeed(unaddressed))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* later("7 hours")
      assert.deepStrictEqual(yield* shown(post), ["publishing", "publishing", null])
      yield* Effect.repeat(later(minute), { times: 2 })
      assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
    })
  )

  it.effect("A part without an id that does not follow either is left to a person", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.succeed({ platformPostId: null, url: null }))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      assert.deepStrictEqual(yield* shown(post), ["failed", "failed", "outcome_unknown"])
    })
  )

  it.effect("The address of a thread's last part is filled in where it belongs", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      const first = { platformPostId: "21", url: "https://platform.test/21" }
      const second = { platformPostId: "22", url: "https://platform.test/22" }
      results.send.push(Effect.succeed(first), Effect.succeed(second), Effect.succeed(unaddressed))
      results.findAddress.push(found("23"))
      const post = yield* makePost({ thread: parts })
      yield* later(minute)
      yield* Effect.repeat(publishDue, { times: 2 })
      yield* look(minute)
      const { target } = yield* stateOf(post)
      assert.deepStrictEqual(
        [target.platform_post_url, ...(target.parts ?? []).map(({ platform_post_url }) => platform_post_url)],
        [21, 21, 22, 23].map((id) => `https://platform.test/${id}`)
      )
    })
  )
})
