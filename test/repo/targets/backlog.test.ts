import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"

layer(repoLayer)("targets.backlog", (it) => {
  it.effect("The backlog counts due targets and expired claims, but neither drafts nor targets in flight", () =>
    Effect.gen(function* () {
      const { posts, targets } = yield* Repo
      const [first, second] = [yield* makeWorkspace(), yield* makeWorkspace()]
      const at = (minutes: number) => DateTime.makeUnsafe(minutes * 60_000)
      yield* posts.create(first, plan(null, ["twitter", "bluesky"]))
      yield* posts.create(first, plan(at(2), ["twitter", "bluesky"]))
      yield* posts.create(second, plan(at(3)))
      assert.deepStrictEqual(yield* targets.backlog, { due: 0, oldest: null, oldestUpload: null })
      yield* TestClock.setTime(3 * 60_000)
      assert.deepStrictEqual(yield* targets.backlog, { due: 3, oldest: at(2), oldestUpload: null })

      const lease = Duration.minutes(1)
      assert.lengthOf(yield* targets.claim(2, lease), 2)
      assert.deepStrictEqual(yield* targets.backlog, { due: 1, oldest: at(3), oldestUpload: null })
      yield* TestClock.adjust(lease)
      assert.deepStrictEqual(yield* targets.backlog, { due: 3, oldest: at(3), oldestUpload: null })
    })
  )
})
