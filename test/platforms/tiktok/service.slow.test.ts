import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { usualVideo } from "../../media/sampleFiles.ts"
import { png } from "../../sandbox/sampleFiles.ts"
import { startSandbox } from "../sandboxService.ts"

describe("A service with TikTok", () => {
  it.live(
    "It publishes videos once, whatever is lost, and refuses what TikTok would",
    () =>
      Effect.gen(function* () {
        const { call, create, page, settled, upload, url } = yield* startSandbox("tiktok")
        const platforms = (yield* call("GET", "/v1/platforms")).data
        const tiktok = platforms.find((each: { readonly platform: string }) => each.platform === "tiktok")
        assert.deepInclude(tiktok, { state: "enabled", threads: false, text: { limit: 2200, unit: "characters" } })
        assert.deepInclude(tiktok.media, { max_files: 1 })

        const small = yield* Effect.flatMap(
          Effect.promise(() => usualVideo(100_000)),
          (bytes) => upload(bytes, "video/mp4")
        )
        const picture = yield* upload(png, "image/png")
        const media = [{ id: small, alt: "We roast" }]
        const publicly = { platform_settings: { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" } } }
        const order = (times: number, callKind: string, fault: object) =>
          call("POST", "/sandbox/faults", { platform: "tiktok", call: callKind, times, fault })

        const refused = yield* Effect.forEach(
          [
            { content: "Nobody can see it", media },
            { content: "No video", ...publicly },
            { content: "A picture", media: [{ id: picture }], ...publicly },
            { content: "First", thread: [{ content: "Second" }], media, ...publicly }
          ],
          create
        )
        assert.deepStrictEqual(
          refused.map(({ errors }) => [errors[0].path.join("."), errors[0].message]),
          [
            [
              "platform_settings.tiktok.privacy_level",
              "tiktok needs to know who can see the video; choose one of the account's options"
            ],
            ["media", "tiktok accepts no post without a video; add one"],
            ["media.0", "tiktok accepts no images"],
            ["thread.0", refused[3].errors[0].message]
          ]
        )

        const accounts = (yield* call("GET", "/v1/integrations")).data
        const own = accounts.find((each: { readonly platform: string }) => each.platform === "tiktok")
        const options = yield* call("GET", `/v1/integrations/${own.id}/posting-options`)
        assert.deepInclude(options.data, { username: "demo", display_name: "Demo", max_video_duration_ms: 600_000 })
        assert.deepStrictEqual(options.data.settings[0], {
          name: "privacy_level",
          choices: ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"],
          is_available: true
        })

        const post = yield* create({ content: "How we roast", media, ...publicly })
        const { error, platform_post_url, status } = yield* settled(post.id)
        assert.strictEqual(status, "published", JSON.stringify(error))
        assert.match(platform_post_url, /\/sandbox\/tiktok\/@\w+\/video\/[1-9]\d{18}$/)
        assert.include(yield* page(platform_post_url), "How we roast")

        // A video that only friends can see never has an address, and this one is named a while after it is out.
        const friends = { platform_settings: { tiktok: { privacy_level: "MUTUAL_FOLLOW_FRIENDS" } } }
        const forFriends = yield* settled((yield* create({ content: "For friends", media, ...friends })).id)
        assert.deepStrictEqual([forFriends.status, forFriends.platform_post_url], ["published", null])
        yield* order(1, "publish", { kind: "lag", ms: 25_000 })
        const unnamed = yield* create({ content: "Named later", media, ...publicly })
        assert.deepInclude(yield* settled(unnamed.id), { status: "published", platform_post_url: null })

        // All answers about the last chunk are lost, before and after it was carried out.
        yield* order(1, "publish", { kind: "reset", when: "after_commit" })
        const lost = yield* create({ content: "Lost and found", media, ...publicly })
        assert.strictEqual((yield* settled(lost.id)).status, "published")
        yield* order(2, "publish", { kind: "reset", when: "before_commit" })
        const late = yield* create({ content: "Late but once", media, ...publicly })
        assert.strictEqual((yield* settled(late.id)).status, "published")

        // A video of several chunks, of which one is lost.
        const large = yield* Effect.flatMap(
          Effect.promise(() => usualVideo(12_500_000)),
          (bytes) => upload(bytes, "video/mp4")
        )
        yield* order(1, "publish", { kind: "reset", when: "after_commit" })
        const chunks = yield* create({ content: "A long film", media: [{ id: large }], ...publicly })
        assert.strictEqual((yield* settled(chunks.id)).status, "published")

        const dropped = { kind: "processing", ms: 0, error: "duration_check_failed" }
        yield* order(1, "publish", dropped)
        const bad = yield* settled((yield* create({ content: "Too short", media, ...publicly })).id)
        assert.strictEqual(bad.status, "failed")
        assert.include(bad.error.message, "too long or too short")

        const named = yield* Effect.repeat(call("GET", `/v1/posts/${unnamed.id}`), {
          until: ({ data }) => data.post_targets[0].platform_post_url !== null,
          schedule: Schedule.spaced("1 second")
        })
        assert.include(yield* page(named.data.post_targets[0].platform_post_url), "Named later")

        const timelines = yield* page(`${url}/sandbox/tiktok`)
        for (const text of [
          "How we roast",
          "For friends",
          "Named later",
          "Lost and found",
          "Late but once",
          "A long film"
        ]) {
          assert.lengthOf(timelines.split(text), 2, text)
        }
        assert.notInclude(timelines, "Too short")
      }).pipe(Effect.scoped),
    300_000
  )
})
