import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { BlueskyUploads } from "../../src/platforms/bluesky/media.ts"
import { uploadsReader } from "../../src/platforms/preparedPost.ts"
import { TwitterUploads } from "../../src/platforms/twitter/media.ts"

describe("uploadsReader", () => {
  const [readX, readBluesky] = [uploadsReader("X", TwitterUploads), uploadsReader("Bluesky", BlueskyUploads)]

  it.effect.each([{ _tag: "LaterUploads" }, [], "", 0, false])(
    "Uploads that can't be read, as %j, count as gone, so that no post is prepared without its files",
    (uploads) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* Effect.flip(readX({ uploads })))._tag, "UploadsGone")
        assert.strictEqual((yield* Effect.flip(readBluesky({ uploads })))._tag, "UploadsGone")
        assert.isUndefined(yield* readX({ uploads: null }))
      })
  )
})
