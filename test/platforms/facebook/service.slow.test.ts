import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { shortVideo } from "../../media/sampleFiles.ts"
import { png } from "../../sandbox/sampleFiles.ts"
import { startSandbox } from "../sandboxService.ts"

// Starts early: it processes files and waits for platforms.

describe("A service with Facebook Pages", () => {
  it.live(
    "It publishes texts and photos once, whatever is lost, refuses threads, and offers the Pages of a person",
    () =>
      Effect.gen(function* () {
        const { call, create, page, settled, upload, url } = yield* startSandbox("facebook")

        const platforms = (yield* call("GET", "/v1/platforms")).data
        const facebook = platforms.find((each: { readonly platform: string }) => each.platform === "facebook")
        assert.deepInclude(facebook, { state: "enabled", threads: false, text: { limit: 10_000, unit: "characters" } })

        const post = yield* create({ content: "We roast on Mondays" })
        const published = yield* settled(post.id)
        assert.strictEqual(published.status, "published")
        assert.match(published.platform_post_url, /\/sandbox\/facebook\/\d+_\d+$/)
        assert.include(yield* page(published.platform_post_url), "We roast on Mondays")

        const thread = [{ content: "Second" }]
        const refused = yield* create({ content: "First", thread })
        assert.strictEqual(refused.errors[0].code, "thread_refused")
        assert.include(refused.errors[0].message, "platform_overrides")

        const media = yield* Effect.forEach(["A pixel", "The same pixel"], (alt) =>
          Effect.map(upload(png, "image/png"), (id) => ({ id, alt }))
        )
        const photos = yield* create({ content: "Two photos", media })
        const shown = yield* settled(photos.id)
        assert.strictEqual(shown.status, "published")
        const twoPhotos = yield* page(shown.platform_post_url)
        assert.isBelow(twoPhotos.indexOf("A pixel"), twoPhotos.indexOf("The same pixel"))

        // The answer and the question after it are lost. The outcome is decided all the same, and there is one post.
        const order = (times: number, callKind: string, fault: object) =>
          call("POST", "/sandbox/faults", { platform: "facebook", call: callKind, times, fault })
        yield* order(1, "publish", { kind: "reset", when: "after_commit" })
        yield* order(1, "timeline", { kind: "status", status: 500 })
        const lost = yield* create({ content: "Lost and found" })
        assert.strictEqual((yield* settled(lost.id)).status, "published")
        yield* order(1, "publish", { kind: "reset", when: "before_commit" })
        const never = yield* create({ content: "Never arrived" })
        assert.strictEqual((yield* settled(never.id)).status, "published")
        const timelines = yield* page(`${url}/sandbox/facebook`)
        assert.lengthOf(timelines.split("Lost and found"), 2)
        assert.lengthOf(timelines.split("Never arrived"), 2)

        // Whoever opened the URL of a key chooses among the Pages.
        const { data: begun } = yield* call("POST", "/v1/integrations/facebook", {})
        const consent = yield* page(begun.authorize_url)
        const allow = /href="([^"]+code=[^"]+)"/.exec(consent)?.[1]?.replaceAll("&amp;", "&") ?? ""
        const submit = (route: string, body: Readonly<Record<string, string>>) =>
          Effect.promise(async () => {
            const headers = { "sec-fetch-site": "same-origin" }
            const response = await fetch(`${url}/oauth/facebook/${route}`, {
              method: "POST",
              headers,
              body: new URLSearchParams(body)
            })
            return response.text()
          })
        const { code = "", state = "" } = Object.fromEntries(new URL(allow).searchParams)
        const choice = yield* submit("confirmation", { code, state, decision: "connect" })
        const offered = Array.from(choice.matchAll(/<p class="note" id="account-\d+">([^<]+)</g), ([, name]) => name)
        assert.deepStrictEqual(offered, ["visitor", "visitor.shop", "visitor.group"])
        const token = /name="token" value="([^"]+)"/.exec(choice)?.[1] ?? ""
        // The demo's Page is connected already, so its owner decides once more.
        assert.include(yield* submit("choice", { token, choice: "1" }), "visitor.shop")
      }).pipe(Effect.scoped)
  )

  it.live("It publishes a landscape video once it is processed, whatever is lost", () =>
    Effect.gen(function* () {
      const { call, create, page, settled, upload } = yield* startSandbox("facebook")
      const file = yield* upload(yield* Effect.promise(shortVideo), "video/mp4")
      // An answer of its upload is lost, then that of its publication.
      const fault = { kind: "reset", when: "after_commit" }
      yield* call("POST", "/sandbox/faults", { platform: "facebook", call: "upload", times: 2, fault })
      yield* call("POST", "/sandbox/faults", { platform: "facebook", call: "publish", times: 1, fault })
      const post = yield* create({ content: "How we roast", media: [{ id: file }] })
      const { error, platform_post_url, status } = yield* settled(post.id)
      assert.strictEqual(status, "published", JSON.stringify(error))
      assert.match(platform_post_url, /\/sandbox\/facebook\/\d+\/videos\/\d+$/)
      assert.include(yield* page(platform_post_url), "How we roast")
      const timelines = yield* page(new URL("/sandbox/facebook", platform_post_url).href)
      assert.lengthOf(timelines.split("How we roast"), 2)
    }).pipe(Effect.scoped)
  )
})
