import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { startSandbox } from "../sandboxService.ts"

/** A PNG of one color. */
const picture = (width: number, height: number, background: string) =>
  Effect.promise(async () => {
    const bytes = await sharp({ create: { width, height, channels: 3, background } })
      .png()
      .toBuffer()
    return Uint8Array.from(bytes)
  })

describe("A service with Instagram", () => {
  it.live("It publishes pictures, carousels and stories as JPEGs, and refuses what Instagram would", () =>
    Effect.gen(function* () {
      const { call, create, ended, page, upload } = yield* startSandbox("instagram")

      const platforms = (yield* call("GET", "/v1/platforms")).data
      const instagram = platforms.find((each: { readonly platform: string }) => each.platform === "instagram")
      assert.deepInclude(instagram, { state: "enabled", threads: false, text: { limit: 2200, unit: "characters" } })
      assert.strictEqual(instagram.media.max_files, 10)

      const ids = yield* Effect.forEach(["red", "green", "blue", "white", "black"], (color) =>
        Effect.flatMap(picture(400, 400, color), (bytes) => upload(bytes, "image/png"))
      )
      const narrow = yield* Effect.flatMap(picture(400, 900, "red"), (bytes) => upload(bytes, "image/png"))
      const media = ids.map((id) => ({ id, alt: "A color" }))

      const refused = yield* Effect.forEach(
        [
          { content: "No picture" },
          { content: "Narrow", media: [{ id: narrow }] },
          { content: "Two", media: media.slice(0, 2), platform_settings: { instagram: { post_type: "story" } } },
          { content: "First", thread: [{ content: "Second" }], media: media.slice(0, 1) }
        ],
        create
      )
      const messages = refused.map(({ errors }) => errors[0].message)
      assert.match(messages[0], /^instagram accepts no post without a picture or a video/)
      assert.match(messages[1], /crop it to 400x500 pixels \(4:5\), or post it as a story/)
      assert.match(messages[2], /^instagram accepts one file in a story/)
      assert.match(messages[3], /^instagram has no threads; give it a text of its own in platform_overrides/)

      const single = yield* create({ content: "One color", media: media.slice(0, 1) })
      const carousel = yield* create({ content: "Five colors", media })
      const story = yield* create({
        content: "Not shown",
        media: [{ id: narrow }],
        platform_settings: { instagram: { post_type: "story" } }
      })
      for (const { id, text } of [
        { id: single.id, text: "One color" },
        { id: carousel.id, text: "Five colors" },
        { id: story.id, text: "A story, shown for a day" }
      ]) {
        const { error, platform_post_url, status } = yield* ended(id)
        assert.strictEqual(status, "published", JSON.stringify(error))
        assert.match(platform_post_url, /\/sandbox\/instagram\/p\/[\w-]+$/)
        const shown = yield* page(platform_post_url)
        assert.include(shown, text)
        assert.notInclude(shown, "Not shown")
      }

      // The answer is lost, and the container's state tells that the post is out.
      yield* call("POST", "/sandbox/faults", {
        platform: "instagram",
        fault: { kind: "status", status: 400, error: "restricted", when: "after_commit" }
      })
      const lost = yield* create({ content: "Lost", media: media.slice(0, 1) })
      assert.strictEqual((yield* ended(lost.id)).status, "published")
    }).pipe(Effect.scoped)
  )
})
