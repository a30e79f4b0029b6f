import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { replyTo } from "../threads.ts"
import { assertChain, threadMember } from "./pdsThread.ts"
import { pdsWorld } from "./pdsWorld.ts"

layer(pdsWorld())("A thread on a real PDS", (it) => {
  it.effect("Its five parts name each other, are created one after the other, and have keys in their order", () =>
    Effect.gen(function* () {
      const setup = yield* threadMember
      const texts = ["One", "Two", "Three", "Four", "Five"]
      const parts = yield* setup.thread.publish(texts)
      yield* assertChain(setup, parts)
      assert.deepStrictEqual(
        (yield* setup.posts).map(({ value }) => value.text),
        texts
      )
    })
  )

  it.effect("A part is refused once the part before it was deleted by hand for more than a minute", () =>
    Effect.gen(function* () {
      const { person, posts, thread } = yield* threadMember
      const [root = assert.fail(), parent = assert.fail()] = yield* thread.publish(["One", "Two"])
      const reply = yield* replyTo(parent, root)
      yield* Effect.promise(() => person.agent.deletePost(parent.platformPostId ?? ""))
      yield* TestClock.adjust("61 seconds")
      const error = yield* Effect.flip(thread.prepare("Three", reply, { part: 3 }))
      assert.strictEqual(error._tag, "Rejected")
      assert.include(error.message, "was deleted on Bluesky")
      assert.lengthOf(yield* posts, 1)
    })
  )

  it.effect("The content ids that are not known are the PDS's own", () =>
    Effect.gen(function* () {
      const setup = yield* threadMember
      const { account, adapter, thread } = setup
      const parts = yield* thread.publish(["One", "Two"])
      const [root = assert.fail(), parent = assert.fail()] = parts
      const reply = yield* replyTo({ ...parent, cid: null }, { ...root, cid: null })
      const third = yield* sendPost(adapter, yield* thread.prepare("Three", reply, { part: 3 }), account)
      yield* assertChain(setup, [...parts, third])
    })
  )
})
