import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { shortVideo } from "../../media/sampleFiles.ts"
import { startSandbox } from "../sandboxService.ts"

// Starts early: it processes files and waits for platforms.

describe("A service with YouTube", () => {
  it.live(
    "It publishes a video once, whatever is lost, and refuses what YouTube would refuse",
    () =>
      Effect.gen(function* () {
        const { call, create, page, settled, upload, url } = yield* startSandbox("youtube")

        const platforms = (yield* call("GET", "/v1/platforms")).data
        const youtube = platforms.find((each: { readonly platform: string }) => each.platform === "youtube")
        assert.deepInclude(youtube, { state: "enabled", threads: false, text: { limit: 5_000, unit: "bytes" } })

        const refused = yield* create({ content: "a <b>", platform_settings: { youtube: { title: "x".repeat(101) } } })
        const paths = refused.errors.map(({ path }: { readonly path: ReadonlyArray<string> }) => path.join("."))
        assert.includeMembers(paths, ["content", "media", "platform_settings.youtube.title"])

        const media = [{ id: yield* upload(yield* Effect.promise(shortVideo), "video/mp4") }]
        const order = (times: number, callKind: string, fault: object) =>
          call("POST", "/sandbox/faults", { platform: "youtube", call: callKind, times, fault })
        // An answer of its upload is lost, then that of its publication and that to the question after it.
        const lost = { kind: "reset", when: "after_commit" }
        yield* order(2, "upload", lost)
        yield* order(1, "publish", lost)
        const settings = { title: "A talk", privacy: "unlisted", youtube_tags: ["coffee"] }
        const post = yield* create({ content: "How we roast", media, platform_settings: { youtube: settings } })
        const { error, platform_post_url, status } = yield* settled(post.id)
        assert.strictEqual(status, "published", JSON.stringify(error))
        assert.match(platform_post_url, /\/sandbox\/youtube\/watch\?v=[\w-]{11}$/)
        const shown = yield* page(platform_post_url)
        for (const text of ["How we roast", "A talk", "Everyone with the link"]) assert.include(shown, text)
        const timelines = yield* page(`${url}/sandbox/youtube`)
        assert.lengthOf(timelines.split("How we roast"), 2)
      }).pipe(Effect.scoped),
    300_000
  )
})
