import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { OutcomeUnknown, Preparing, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { planPublish } from "../support/plans.ts"
import {
  accepted,
  callsOf,
  freshSlow,
  later,
  makePost,
  minute,
  notifications,
  preparing,
  publishDue,
  published,
  shown,
  stack,
  stateOf
} from "./slowPlatform.ts"

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
