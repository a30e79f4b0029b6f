import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { MediaId } from "../../../src/domain/ids.ts"
import type { MediaFile } from "../../../src/domain/media/media.ts"
import { livePlatforms } from "../../../src/domain/plain/platforms.ts"
import { CurrentRules, makeRules } from "../../../src/platforms/rules.ts"
import { twitterRules } from "../../../src/platforms/twitter/rules/rules.ts"
import { call, errorPaths, withoutCodes } from "../../support/http/client.ts"
import { anIntegration } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const repo = repoWithKey({
  integrations: {
    list: () => Effect.succeed((["twitter", "bluesky"] as const).map((platform) => ({ ...anIntegration, platform })))
  }
})

/** Validates a post of a workspace that has accounts on X and Bluesky. */
const validate = Effect.fn("validate")(function* (body: unknown) {
  const url = yield* startServer({ repo })
  const response = yield* call(`${url}/v1/posts/validate`, "POST", body)
  assert.strictEqual(response.status, 200)
  const { valid, errors, targets } = response.body.data
  assert.containsAllKeys(response.body.data, ["valid", "errors", "targets"])
  return { valid, errors, targets, paths: errorPaths(response.body.data) }
})

describe("POST /v1/posts/validate", () => {
  it.effect("Each target's text is measured as its platform counts", () =>
    Effect.gen(function* () {
      const post = { content: "Hello", platforms: ["bluesky", "twitter"], platform_overrides: { twitter: "日本" } }
      const { valid, errors, targets } = yield* validate(post)
      assert.isTrue(valid)
      assert.deepStrictEqual(errors, [])
      assert.deepStrictEqual(targets, [
        { platform: "bluesky", length: 5, limit: 300, valid: true },
        { platform: "twitter", length: 4, limit: 280, valid: true }
      ])
    })
  )

  it.effect("A text that is too long is an error at its path if it is scheduled, and none in a draft", () =>
    Effect.gen(function* () {
      const post = {
        content: "a".repeat(281),
        platforms: ["twitter", "bluesky"],
        platform_overrides: { bluesky: "b".repeat(301) }
      }
      const scheduled = yield* validate({ ...post, schedule_at: "1970-01-01T01:00:00Z" })
      assert.isFalse(scheduled.valid)
      assert.deepStrictEqual(withoutCodes(scheduled.errors), [
        { path: ["content"], message: "twitter accepts a length of 280 weighted characters, but this text has 281" },
        {
          path: ["platform_overrides", "bluesky"],
          message: "bluesky accepts a length of 300 graphemes, but this text has 301"
        }
      ])
      const draft = yield* validate(post)
      assert.isTrue(draft.valid)
      assert.deepStrictEqual(
        draft.targets.map((target: { valid: boolean }) => target.valid),
        [false, false]
      )
    })
  )

  it.effect("More than one cashtag is an error on X, unless the application is an enterprise's", () =>
    Effect.gen(function* () {
      const post = { content: "$AAPL $TSLA", platforms: ["twitter", "bluesky"], schedule_at: "1970-01-01T01:00:00Z" }
      const message = "twitter accepts one cashtag, but this text has 2: $AAPL, $TSLA"
      const { errors, targets } = yield* validate(post)
      assert.deepStrictEqual(withoutCodes(errors), [{ path: ["content"], message }])
      assert.deepStrictEqual(
        targets.map((target: { valid: boolean }) => target.valid),
        [false, true]
      )
      // The body also has an invalid member, which is found before the post is planned.
      const beside = yield* validate({ ...post, tags: 1 })
      assert.deepInclude(withoutCodes(beside.errors), { path: ["content"], message })
      const lifted = Effect.provideService(CurrentRules, makeRules({ twitter: { rules: twitterRules("enterprise") } }))
      assert.isTrue((yield* lifted(validate(post))).valid)
      assert.notInclude((yield* lifted(validate({ ...post, tags: 1 }))).paths, "content")
    })
  )

  it.effect.each([true, false])(
    "A file for a platform that fetches files is refused unless it can reach the service: %j",
    (isReachable) =>
      Effect.gen(function* () {
        const id = MediaId.make("01a1fc17-dc2e-777d-ad63-000000000007")
        const facts = { type: "image", contentType: "image/jpeg", size: 100, width: 100, height: 100 } as const
        const file: MediaFile = {
          id,
          status: "ready",
          size: 100,
          alt: "",
          facts: {
            ...facts,
            durationMs: null,
            frames: null,
            frameRate: null,
            videoCodec: null,
            audioCodec: null,
            animated: false
          },
          renditions: { threads: { hash: "a", ...facts } }
        }
        const url = yield* startServer({
          repo: repoWithKey({
            integrations: { list: () => Effect.succeed([{ ...anIntegration, platform: "threads" }]) },
            posts: { readMedia: () => Effect.succeed([file]) }
          })
        })
        const post = { content: "Hello", platforms: ["threads"], schedule_at: "1970-01-01T01:00:00Z" }
        const errorsOf = (body: object) =>
          Effect.map(call(`${url}/v1/posts/validate`, "POST", body), ({ body: { data } }) => withoutCodes(data.errors))
        assert.deepStrictEqual(yield* errorsOf(post), [])
        const message =
          "threads accepts files only once the service's operator has set PUBLIC_URL, an https address from which Threads can fetch them"
        assert.deepStrictEqual(
          yield* errorsOf({ ...post, media: [{ id }] }),
          isReachable ? [] : [{ path: ["media", 0], message }]
        )
      }).pipe(Effect.provideService(CurrentRules, makeRules({}, ["threads"], { isReachable })))
  )

  it.effect("A story's text is not measured, also beside wrong fields", () =>
    Effect.gen(function* () {
      const measuredOf = Effect.fnUntraced(function* (more: object) {
        const body = {
          content: "a".repeat(2201),
          platforms: ["instagram"],
          platform_settings: { instagram: { post_type: "story" } },
          ...more
        }
        const { targets } = yield* validate(body)
        return targets.map(({ platform }: { readonly platform: string }) => platform)
      })
      assert.deepStrictEqual(yield* measuredOf({}), [])
      assert.deepStrictEqual(yield* measuredOf({ tags: 1 }), [])
      assert.deepStrictEqual(yield* measuredOf({ thread: 1 }), [])
      const wrong = { platform_settings: { instagram: { post_type: "story", cover_at: "?" } } }
      assert.deepStrictEqual(yield* measuredOf(wrong), [])
    }).pipe(Effect.provideService(CurrentRules, makeRules({}, livePlatforms)))
  )

  const wrongSettings = [
    [
      "youtube",
      { title: "a<b", youtube_tags: ["y".repeat(600)], thumbnail_url: "http://x/y" },
      ["thumbnail_url", "title", "youtube_tags"]
    ],
    ["tiktok", { allow_duet: "yes", tiktok_title: "x".repeat(2_201) }, ["allow_duet", "privacy_level", "tiktok_title"]],
    ["instagram", { cover_at: "?", collaborators: ["a b"] }, ["cover_at", "collaborators"]],
    ["threads", { topic_tag: "#" }, ["topic_tag"]],
    ["twitter", { who_can_reply: "nobody" }, ["who_can_reply"]]
  ] as const

  it.effect.each(wrongSettings)(
    "A setting that does not fit hides no other wrong field: %s",
    ([platform, own, names]) =>
      Effect.gen(function* () {
        const { paths } = yield* validate({
          content: "a".repeat(10_001),
          platforms: [platform],
          platform_settings: { [platform]: own },
          tags: ["a".repeat(51)],
          schedule_at: "1969-12-31T23:54:00Z"
        })
        const has = (path: ReadonlyArray<string>) => assert.deepInclude(paths, path, JSON.stringify(paths))
        for (const name of names) has(["platform_settings", platform, name])
        for (const field of ["schedule_at", "tags"]) {
          assert.isTrue(
            paths.some((path) => Array.isArray(path) && path[0] === field),
            JSON.stringify(paths)
          )
        }
        if (platform !== "tiktok") has(["content"])
      }).pipe(Effect.provideService(CurrentRules, makeRules({}, livePlatforms)))
  )

  it.effect("A caption that replaces the text on TikTok is measured in its place", () =>
    Effect.gen(function* () {
      const body = {
        content: "z".repeat(2_201),
        platforms: ["tiktok"],
        platform_settings: { tiktok: { privacy_level: "SELF_ONLY", tiktok_title: "A drop" } },
        schedule_at: "1970-01-01T01:00:00Z"
      }
      const short = yield* validate(body)
      assert.notDeepInclude(short.paths, ["content"])
      assert.deepStrictEqual(short.targets, [{ platform: "tiktok", length: 6, limit: 2_200, valid: true }])
      const tiktok = { privacy_level: "SELF_ONLY", tiktok_title: "x".repeat(2_201) }
      const long = yield* validate({ ...body, content: "A drop", platform_settings: { tiktok } })
      assert.deepInclude(long.paths, ["platform_settings", "tiktok", "tiktok_title"])
      assert.deepStrictEqual(long.targets, [{ platform: "tiktok", length: 2_201, limit: 2_200, valid: false }])
    }).pipe(Effect.provideService(CurrentRules, makeRules({}, livePlatforms)))
  )

  it.effect("A text that is too long is an error beside those of other fields, and its target is measured", () =>
    Effect.gen(function* () {
      const { paths, targets } = yield* validate({
        content: "a".repeat(281),
        platforms: ["twitter", "linkedin"],
        schedule_at: "1969-12-31T23:54:00Z",
        extra: 1
      })
      assert.sameDeepMembers(paths, [["platforms", 1], ["extra"], ["schedule_at"], ["content"]])
      assert.deepStrictEqual(targets, [{ platform: "twitter", length: 281, limit: 280, valid: false }])
    })
  )

  it.effect("Platforms without an account are listed together with other errors", () =>
    Effect.gen(function* () {
      const { valid, paths } = yield* validate({
        content: "Hello",
        platforms: ["twitter", "linkedin"],
        schedule_at: "1969-01-01T00:00:00Z"
      })
      assert.isFalse(valid)
      assert.deepStrictEqual(paths, [["platforms", 1], ["schedule_at"]])
    })
  )

  it.effect("The readable fields of a malformed body are checked and measured", () =>
    Effect.gen(function* () {
      const { valid, paths, targets } = yield* validate({
        content: "Hello",
        platforms: ["twitter", "linkedin"],
        schedule_at: "tomorrow"
      })
      assert.isFalse(valid)
      assert.deepStrictEqual(paths, [["platforms", 1], ["schedule_at"]])
      assert.deepStrictEqual(targets, [{ platform: "twitter", length: 5, limit: 280, valid: true }])
    })
  )

  it.effect("Every invalid field of a body is listed", () =>
    Effect.gen(function* () {
      const { valid, paths, targets } = yield* validate({ content: "", platforms: ["x"], extra: 1 })
      assert.isFalse(valid)
      assert.deepStrictEqual(paths, [["extra"], ["platforms", 0], ["content"]])
      assert.deepStrictEqual(targets, [])
    })
  )
})
