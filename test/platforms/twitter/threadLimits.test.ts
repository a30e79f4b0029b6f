import { assert, layer } from "@effect/vitest"
import { DateTime, type Duration, Effect, References } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import { platformClientLayer } from "../../../src/platforms/layer.ts"
import { PlatformClient } from "../../../src/platforms/PlatformClient.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { Sandbox } from "../../../src/sandbox/Sandbox.ts"
import { part } from "../../publishing/threadWorld.ts"
import { plan } from "../../support/database/fixtures.ts"
import { publishDue, publishing } from "../publishing.ts"
import { baseUrl, storedAccount, targetId } from "../world.ts"

const world = publishing(
  Effect.map(Sandbox, (sandbox) => sandbox.platforms(baseUrl)),
  Sandbox.layer()
)

/** A workspace with an account on X that has sent so many posts, whose responses this process has seen. */
const team = Effect.fn(function* (name: string, sent: number) {
  const { integrations, posts, workspaces } = yield* Repo
  const sandbox = yield* Sandbox
  const { twitter } = yield* PlatformClient
  const { id: workspace } = yield* workspaces.create(name)
  const connection = yield* sandbox.connect("twitter", name)
  yield* integrations.connect(workspace, { platform: "twitter", ...connection })
  const { account } = yield* storedAccount(connection)
  yield* Effect.forEach(Array.from({ length: sent }).keys(), (number) =>
    Effect.flatMap(twitter.prepare({ targetId, text: `${name} ${number}`, settings: {} }, account), (prepared) =>
      sendPost(twitter, prepared, account)
    )
  )
  const due = Effect.fnUntraced(function* (content: string, changes: Partial<PostPlan> = {}) {
    return (yield* posts.create(workspace, { ...plan(yield* DateTime.now), content, ...changes })).id
  })
  const all = Effect.map(sandbox.posts, (entries) =>
    entries.filter(({ accountId }) => accountId === connection.accountId).toReversed()
  )
  return {
    due,
    /** A thread that is due, of which each part is a number. */
    thread: (parts: number) =>
      due(`${name}: part 1`, {
        thread: Array.from({ length: parts - 1 }, (_, index) => part(`${name}: part ${index + 2}`))
      }),
    /** The texts of what is out but for what was sent at first, in order. */
    texts: Effect.map(all, (entries) => entries.slice(sent).map(({ text }) => text)),
    tweets: all,
    target: (id: Parameters<typeof posts.get>[1]) =>
      Effect.map(posts.get(workspace, id), ({ post_targets: [only] }) => only ?? assert.fail("The post has no target"))
  }
})

const publishAfter = (wait: Duration.Input) => Effect.andThen(TestClock.adjust(wait), publishDue)

const partsOf = (name: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${name}: part ${from + index}`)

layer(world)("A thread on an account of X that has sent many posts", (it) => {
  it.effect("After 82 of 100 posts nothing of a thread of 25 goes out before the reset, and all of it after that", () =>
    Effect.gen(function* () {
      const { due, target, texts, thread, tweets } = yield* team("late", 82)
      const id = yield* thread(25)
      yield* publishDue
      yield* due("apart")
      yield* publishAfter("10 minutes")
      assert.deepStrictEqual(yield* texts, ["apart"])
      const waiting = yield* target(id)
      assert.deepStrictEqual([waiting.status, waiting.error?.code], ["pending", "rate_limited"])
      assert.strictEqual(
        waiting.error?.message,
        "Part 1 of 25: X accepts only 18 more posts from this account for now, and this thread has 25. " +
          "It begins once that limit resets"
      )
      yield* publishAfter("299 seconds")
      assert.deepStrictEqual(yield* texts, ["apart"])
      // The sandbox names whole seconds.
      yield* publishAfter("2 seconds")
      for (let pause = 0; pause < 24; pause++) yield* publishAfter("2 seconds")
      assert.deepStrictEqual(yield* texts, ["apart", ...partsOf("late", 1, 25)])
      const replies = (yield* tweets).slice(-25)
      assert.deepStrictEqual(
        replies.map(({ reply }) => reply?.parent),
        [undefined, ...replies.slice(0, -1).map((tweet) => tweet.id)]
      )
      assert.strictEqual((yield* target(id)).status, "published")
    })
  )

  it.effect(
    "A thread that just fits begins at once, and goes on where another post takes the place of its last part",
    () =>
      Effect.gen(function* () {
        const { due, target, texts, thread } = yield* team("fits", 97)
        const id = yield* thread(3)
        yield* publishDue
        yield* due("apart")
        yield* publishDue
        assert.deepStrictEqual(yield* texts, ["fits: part 1", "apart"])
        yield* publishAfter("2 seconds")
        assert.deepStrictEqual(yield* texts, ["fits: part 1", "apart", "fits: part 2"])
        yield* publishAfter("2 seconds")
        assert.deepStrictEqual((yield* target(id)).error?.code, "rate_limited")
        yield* publishAfter("15 minutes")
        assert.deepStrictEqual(yield* texts, ["fits: part 1", "apart", "fits: part 2", "fits: part 3"])
        assert.strictEqual((yield* target(id)).status, "published")
      })
  )

  it.effect("What the responses to plain posts say counts as well", () =>
    Effect.gen(function* () {
      const { due, target, texts, thread } = yield* team("plain", 0)
      for (let number = 1; number <= 99; number++) yield* due(`plain ${number}`)
      yield* publishDue
      const id = yield* thread(2)
      yield* publishDue
      assert.lengthOf(yield* texts, 99)
      assert.strictEqual((yield* target(id)).error?.code, "rate_limited")
      yield* publishAfter("901 seconds")
      yield* publishAfter("2 seconds")
      assert.deepStrictEqual((yield* texts).slice(99), partsOf("plain", 1, 2))
    }).pipe(Effect.provideService(References.TracerEnabled, false))
  )

  it.effect(
    "A process begins a thread where others have seen how little remains, and the rest waits for the reset",
    () =>
      Effect.gen(function* () {
        const another = platformClientLayer((yield* Sandbox).platforms(baseUrl))
        const { target, texts, thread } = yield* Effect.provide(team("unseen", 99), another)
        const id = yield* thread(2)
        yield* publishDue
        yield* publishAfter("2 seconds")
        assert.deepStrictEqual(yield* texts, ["unseen: part 1"])
        assert.strictEqual((yield* target(id)).error?.code, "rate_limited")
        yield* publishAfter("15 minutes")
        assert.deepStrictEqual(yield* texts, partsOf("unseen", 1, 2))
      })
  )
})
