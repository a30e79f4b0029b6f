import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Dropped, OutcomeUnknown, Unavailable } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { plan } from "../support/database/fixtures.ts"
import { planPublish } from "../support/plans.ts"
import {
  accepted,
  callsOf,
  freshSlow,
  later,
  makePost,
  minute,
  notifications,
  parts,
  publishDue,
  published,
  shown,
  stack,
  stateOf
} from "./slowPlatform.ts"

layer(stack)("A platform that has taken a post", (it) => {
  it.effect("The target stays publishing, keeps no slot, and is published once the platform says so", () =>
    Effect.gen(function* () {
      const { results } = yield* freshSlow
      results.send.push(Effect.fail(accepted))
      // More answers than the limits for looks and for attempts.
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

  it.effect(
    "A post that only time can tell of is asked about past all limits, and a person is told while it is open",
    () =>
      Effect.gen(function* () {
        const { results } = yield* freshSlow
        const open = new OutcomeUnknown({ message: "It may still go out", askAfter: minute })
        results.send.push(Effect.fail(new OutcomeUnknown({ message: "Lost" })))
        results.reconcile.push(...Array.from({ length: 20 }, () => Effect.fail(open)))
        const post = yield* makePost()
        yield* later(minute)
        yield* Effect.repeat(later(minute), { times: 2 })
        assert.deepStrictEqual(yield* notifications(post), [])
        yield* later(minute)
        assert.deepStrictEqual(yield* notifications(post), ["post.unconfirmed"])
        const [told] = (yield* (yield* Repo).notifications.page(post.workspace, 0, 1)).data
        assert.strictEqual(told?.title, "Not confirmed by X yet")
        assert.match(told?.message ?? "", /^“Hello”, as \S+ – It may still go out$/)
        assert.isFalse(told?.read)
        const { target } = yield* stateOf(post)
        assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", "outcome_unknown"])
        assert.strictEqual(target.error?.message, "It may still go out")
        assert.isUndefined(target.processing_since)
        yield* Effect.repeat(later(minute), { times: 15 })
        assert.deepStrictEqual(yield* shown(post), ["publishing", "pending", "outcome_unknown"])
        assert.deepStrictEqual(yield* notifications(post), ["post.unconfirmed", "post.unconfirmed"])
        yield* later(minute)
        assert.deepStrictEqual(yield* shown(post), ["published", "published", null])
        assert.deepStrictEqual(yield* notifications(post), ["post.published", "post.unconfirmed", "post.unconfirmed"])
        const { data } = yield* (yield* Repo).notifications.page(post.workspace, 0, 10)
        assert.deepStrictEqual(
          data.map(({ read }) => read),
          [false, true, true]
        )
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
      // The platform is not processing the next part.
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
