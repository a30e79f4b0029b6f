import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Rejected, UploadsGone } from "../../src/domain/publishing/platformError.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { storeFile } from "../support/database/mediaFixtures.ts"
import { after, part, published, states, ThreadScript, threadWorld } from "./threadWorld.ts"
import { planPublish } from "../support/plans.ts"

/** A thread of three parts on Bluesky. The second and third have a file. */
const withFiles = Effect.gen(function* () {
  const { posts } = yield* Repo
  const workspace = yield* makeWorkspace()
  const [cat, dog] = [yield* storeFile(workspace, { alt: "a cat" }), yield* storeFile(workspace, { alt: "a dog" })]
  const { id } = yield* posts.create(workspace, {
    ...plan(DateTime.addDuration(yield* DateTime.now, "1 minute"), ["bluesky"]),
    content: "one",
    thread: [part("two", { media: [cat] }), part("three", { media: [dog] })]
  })
  return { workspace, id }
})

layer(threadWorld)("The files of a thread", (it) => {
  it.effect("All are uploaded before the first part goes out, each to be sent with its own part", () =>
    Effect.gen(function* () {
      const { takeCalls } = yield* ThreadScript
      const thread = yield* withFiles
      yield* after("0 seconds", 2)
      assert.deepStrictEqual(takeCalls(), ["bluesky upload a cat", "bluesky upload a dog"])
      yield* after("1 minute", 3)
      assert.deepStrictEqual(takeCalls(), [
        "bluesky publish one",
        "bluesky publish two [a cat] <- bluesky-one",
        "bluesky publish three [a dog] <- bluesky-two"
      ])
      assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published published"])
    })
  )

  it.effect(
    "Files that the platform has lost are uploaded again from the part on that needs them, and no part is sent twice",
    () =>
      Effect.gen(function* () {
        const { sends, takeCalls } = yield* ThreadScript
        const thread = yield* withFiles
        yield* after("0 seconds", 2)
        takeCalls()
        sends.bluesky.push(
          Effect.succeed(published("1")),
          Effect.fail(new UploadsGone({ message: "Bluesky has dropped the files" }))
        )
        yield* after("1 minute", 6)
        assert.deepStrictEqual(takeCalls(), [
          "bluesky publish one",
          "bluesky publish two [a cat] <- 1",
          "bluesky upload a cat",
          "bluesky upload a dog",
          "bluesky publish two [a cat] <- 1",
          "bluesky publish three [a dog] <- bluesky-two"
        ])
        assert.deepStrictEqual(yield* states(thread), ["published", "bluesky published: published published published"])
      })
  )

  it.effect("A part that was refused is sent again with its files, after they were uploaded again", () =>
    Effect.gen(function* () {
      const { sends, takeCalls } = yield* ThreadScript
      const { posts } = yield* Repo
      const thread = yield* withFiles
      yield* after("0 seconds", 2)
      sends.bluesky.push(Effect.succeed(published("1")), Effect.fail(new Rejected({ message: "No" })))
      yield* after("1 minute", 3)
      takeCalls()
      yield* posts.publish(thread.workspace, thread.id, planPublish)
      yield* after("0 seconds", 6)
      assert.deepStrictEqual(takeCalls(), [
        "bluesky upload a cat",
        "bluesky upload a dog",
        "bluesky publish two [a cat] <- 1",
        "bluesky publish three [a dog] <- bluesky-two"
      ])
    })
  )
})
