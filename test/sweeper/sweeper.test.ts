import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Queue, Stream } from "effect"
import { TestClock } from "effect/testing"
import { MediaStore } from "../../src/media/store/MediaStore.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { sweeperLayer } from "../../src/sweeper.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

const emptyStore = Layer.mock(MediaStore, { list: Stream.empty, removeStale: () => Effect.void })

layer(Layer.merge(emptyStore, repoLayer))("sweeperLayer", (it) => {
  it.effect("What can't be deleted is tried again an hour later, and keeps nothing else from being deleted", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      const swept = yield* Queue.unbounded<string>()
      const sweeping = Layer.build(sweeperLayer).pipe(
        Effect.provideService(Repo, {
          ...repo,
          notifications: {
            ...repo.notifications,
            removeBefore: () => Effect.andThen(Queue.offer(swept, "notifications"), Effect.die("a wrong row"))
          },
          events: { ...repo.events, removeBefore: () => Effect.as(Queue.offer(swept, "events"), 0) }
        })
      )
      yield* sweeping
      assert.sameMembers(yield* Queue.takeN(swept, 2), ["notifications", "events"])
      yield* TestClock.adjust("59 minutes")
      assert.strictEqual(yield* Queue.size(swept), 0)
      yield* TestClock.adjust("1 minute")
      assert.sameMembers(yield* Queue.takeN(swept, 2), ["notifications", "events"])
    })
  )
})
