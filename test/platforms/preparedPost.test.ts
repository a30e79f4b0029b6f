import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { BlueskyUploads } from "../../src/platforms/bluesky/media.ts"
import { storedForm, uploadsReader } from "../../src/platforms/preparedPost.ts"
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

const stored = storedForm("APost")
const Form = Schema.Struct({ ...stored.fields, text: Schema.String })
const read = Schema.decodeUnknownOption(Form)

describe("storedForm", () => {
  it("What the version before stored without tag and version is read", () => {
    assert.deepStrictEqual(read({ text: "a" }), Option.some({ text: "a" }))
    assert.isTrue(Option.isSome(read({ ...stored.members, text: "a" })))
  })

  it.each([[{ _tag: "AnotherPost" }], [{ version: 2 }], [{ _tag: null }], [{ version: "1" }]])(
    "A form of another kind or version is not read: %j",
    (members) => {
      assert.isTrue(Option.isNone(read({ ...members, text: "a" })))
    }
  )
})
