import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import sharp from "sharp"
import { uprightVideo } from "../../media/sampleFiles.ts"
import { startSandbox } from "../sandboxService.ts"

// Starts early: it processes files and waits for platforms.

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

  it.live("With a Meta app alone, accounts come from Pages, and a reel is published from its bytes", () =>
    Effect.gen(function* () {
      const { call, create, page, settled, upload, url } = yield* startSandbox("instagram", {
        FACEBOOK_CLIENT_ID: "sandbox"
      })
      const image = yield* Effect.flatMap(picture(400, 400, "red"), (bytes) => upload(bytes, "image/png"))
      const file = yield* upload(yield* Effect.promise(() => uprightVideo()), "video/mp4")

      const single = yield* create({ content: "One color", media: [{ id: image }] })
      assert.strictEqual((yield* settled(single.id)).status, "published")

      // The answers to the first requests are lost: for the container, and for its bytes.
      const fault = { kind: "reset", when: "after_commit" }
      yield* call("POST", "/sandbox/faults", { platform: "instagram", call: "upload", times: 3, fault })
      yield* call("POST", "/sandbox/faults", { platform: "instagram", call: "publish", times: 1, fault })
      const reel = yield* create({ content: "How we roast", media: [{ id: file }] })
      const { error, platform_post_url, status } = yield* settled(reel.id)
      assert.strictEqual(status, "published", JSON.stringify(error))
      const timelines = yield* page(`${url}/sandbox/instagram`)
      assert.lengthOf(timelines.split("How we roast"), 2)
      if (platform_post_url !== null) assert.include(yield* page(platform_post_url), "A reel")

      // Whoever opened the URL of a key chooses among the accounts of the Pages.
      const { data: begun } = yield* call("POST", "/v1/integrations/instagram", {})
      const consent = yield* page(begun.authorize_url)
      const allow = /href="([^"]+code=[^"]+)"/.exec(consent)?.[1]?.replaceAll("&amp;", "&") ?? ""
      const { code = "", state = "" } = Object.fromEntries(new URL(allow).searchParams)
      const choice = yield* Effect.promise(async () => {
        const response = await fetch(`${url}/oauth/instagram/confirmation`, {
          method: "POST",
          headers: { "sec-fetch-site": "same-origin" },
          body: new URLSearchParams({ code, state, decision: "connect" })
        })
        return response.text()
      })
      const offered = Array.from(choice.matchAll(/<p class="note" id="account-\d+">([^<]+)</g), ([, name]) => name)
      assert.deepStrictEqual(offered, ["@visitor", "@visitor.shop", "@visitor.group"])
    }).pipe(Effect.scoped)
  )
})
