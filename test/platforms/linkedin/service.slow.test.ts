import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { png } from "../../sandbox/sampleFiles.ts"
import { startSandbox } from "../sandboxService.ts"

describe("A service with LinkedIn", () => {
  it.live("It publishes texts and images, refuses threads, and tells a person what it can't know", () =>
    Effect.gen(function* () {
      const { call, create, ended, page, upload } = yield* startSandbox("linkedin")

      const platforms = (yield* call("GET", "/v1/platforms")).data
      const linkedin = platforms.find((each: { readonly platform: string }) => each.platform === "linkedin")
      assert.deepInclude(linkedin, { state: "enabled", threads: false, text: { limit: 3000, unit: "characters" } })

      const text = "We (the team) wrote a_b*c #go @[Acme](urn:li:organization:1)"
      const post = yield* create({ content: text })
      const published = yield* ended(post.id)
      assert.strictEqual(published.status, "published")
      assert.match(published.platform_post_url, /\/sandbox\/linkedin\/feed\/update\/urn:li:share:\d+$/)
      assert.include(yield* page(published.platform_post_url), "We (the team) wrote a_b*c")

      const thread = [{ content: "Second" }]
      const refused = yield* create({ content: "First", thread })
      assert.strictEqual(refused.errors[0].code, "thread_refused")
      const both = yield* create({
        content: "First",
        thread,
        platforms: ["twitter", "linkedin"],
        platform_overrides: { linkedin: "All of it" }
      })
      const alone = yield* ended(both.id)
      assert.strictEqual(alone.status, "published")
      assert.include(yield* page(alone.platform_post_url), "All of it")

      const id = yield* upload(png, "image/png")
      const picture = yield* create({ content: "", media: [{ id, alt: "A pixel" }] })
      assert.strictEqual((yield* ended(picture.id)).status, "published")

      yield* call("POST", "/sandbox/faults", { platform: "linkedin", fault: { kind: "reset", when: "after_commit" } })
      const lost = yield* create({ content: "Lost" })
      const unknown = yield* ended(lost.id)
      assert.strictEqual(unknown.error.code, "outcome_unknown")
      assert.include(unknown.error.message, "only a person can tell")
      const resolved = yield* call("POST", `/v1/posts/${lost.id}/targets/linkedin/resolve`, {
        outcome: "published",
        url: "https://www.linkedin.com/feed/update/urn:li:activity:7400000000000000001/"
      })
      assert.strictEqual(resolved.data.post_targets.at(-1).status, "published")

      // A person's word is all there is, also for a picture that has to be uploaded again.
      for (const media of [[], [{ id, alt: "A pixel" }]]) {
        yield* call("POST", "/sandbox/faults", {
          platform: "linkedin",
          fault: { kind: "reset", when: "before_commit" }
        })
        const absent = yield* create({ content: `Absent, with ${media.length}`, media })
        assert.strictEqual((yield* ended(absent.id)).error.code, "outcome_unknown")
        yield* call("POST", `/v1/posts/${absent.id}/publish`)
        assert.strictEqual((yield* ended(absent.id)).error.code, "outcome_unknown")
        yield* call("POST", `/v1/posts/${absent.id}/targets/linkedin/resolve`, { outcome: "not_published" })
        yield* call("POST", `/v1/posts/${absent.id}/publish`)
        const sent = yield* ended(absent.id)
        assert.strictEqual(sent.status, "published", JSON.stringify(sent))
      }
    }).pipe(Effect.scoped)
  )
})
