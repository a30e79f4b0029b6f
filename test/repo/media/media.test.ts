import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { UserId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../../support/database/fixtures.ts"
import { interleave } from "../../support/database/interleave.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"

layer(repoLayer)("Repo.media", (it) => {
  it.effect("An upload whose process ended takes no place of those in progress once its lease is over", () =>
    Effect.gen(function* () {
      const { media } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      const creator = { type: "user", id: UserId.make(workspaceId), name: "Jane" } as const
      const begin = media.beginUpload(
        workspaceId,
        { alt: "", creator },
        { size: 1, quota: 1_000, lease: Duration.minutes(2) }
      )
      yield* begin
      yield* begin
      assert.strictEqual((yield* Effect.flip(begin))._tag, "TooManyUploads")
      yield* TestClock.adjust("2 minutes")
      yield* begin
    })
  )

  it.effect("A file that a post is given at this moment is not removed", () =>
    Effect.gen(function* () {
      const { media, posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const file = yield* storeFile(workspaceId)
      const scheduled = { ...plan(DateTime.makeUnsafe("2100-01-01T00:00:00Z")), media: [file] }
      const [, refused] = yield* interleave(
        Effect.andThen(posts.lockMedia(workspaceId, [file.id]), posts.create(workspaceId, scheduled)),
        Effect.flip(media.remove(workspaceId, file.id))
      )
      assert.strictEqual((yield* refused)._tag, "InvalidState")
      assert.strictEqual((yield* media.get(workspaceId, file.id)).id, file.id)
    })
  )

  it.effect("The next file is of a workspace that was not served yet, or else was served longest ago", () =>
    Effect.gen(function* () {
      const { media } = yield* Repo
      const [first, second, third] = [yield* makeWorkspace([]), yield* makeWorkspace([]), yield* makeWorkspace([])]
      for (const workspaceId of [first, second, third]) {
        const creator = { type: "user", id: UserId.make(workspaceId), name: "Jane" } as const
        yield* media.addFromUrl(workspaceId, { alt: "", creator, url: "https://images.example/a.png" }, 1_000)
      }
      const claimed: Array<string> = []
      for (const served of [
        [second, first],
        [second, first, third],
        [first, third, second]
      ]) {
        const file = yield* media.claim("Fetch", Duration.minutes(1), { served })
        claimed.push(Option.getOrThrow(file).workspaceId)
      }
      assert.deepStrictEqual(claimed, [third, second, first])
    })
  )
})
