import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { KeptPictures, type KeepPicture } from "../../../src/cards/KeptPictures.ts"
import { livePlatforms } from "../../../src/domain/plain/platforms.ts"
import { CurrentRules, makeRules } from "../../../src/platforms/rules.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"
import { video } from "../../support/mediaChecks.ts"

const at = "1970-01-01T01:00:00Z"
const [one, two, gone] = ["https://a.example/1.png", "https://a.example/2.png", "https://a.example/gone.png"]

const fetched: Array<string> = []

const keptOf = (url: string) => ({ url, hash: "ab".repeat(32), content_type: "image/png", size: 68 })

/** Each picture but one is there. */
const keepPicture: KeepPicture = (_, { url }) =>
  Effect.sync(() => {
    fetched.push(url)
    return url === gone ? "The picture can't be used: its server answered with the status 404" : keptOf(url)
  })

const world = Effect.gen(function* () {
  const url = yield* ServerUrl
  const workspace = yield* makeWorkspace(["youtube", "bluesky"])
  const { key } = yield* makeKey(workspace)
  const { contentType, size } = video
  const rendition = { hash: "0".repeat(64), contentType, size, width: 1_280, height: 720 }
  const { id } = yield* storeFile(workspace, { facts: video, renditions: { thumbnail: rendition, youtube: rendition } })
  fetched.length = 0
  return {
    call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      sendJson(`${url}${path}`, method, { ...keyHeaders(key), ...headers }, body),
    post: (thumbnail_url: string) => ({
      content: "How we roast",
      platforms: ["youtube"],
      media: [{ id }],
      platform_settings: { youtube: { title: "A talk", thumbnail_url } }
    })
  }
})

const services = Layer.merge(
  Layer.succeed(CurrentRules, makeRules({}, livePlatforms)),
  Layer.succeed(KeptPictures, keepPicture)
)

layer(databaseServerLayer().pipe(Layer.provide(services)))("the thumbnail of a video", (it) => {
  it.effect("It is fetched once, when the post is scheduled, and changes only with its URL", () =>
    Effect.gen(function* () {
      const { call, post } = yield* world
      const draft = yield* call("POST", "/v1/posts", post(one))
      assert.strictEqual(draft.status, 201)
      const path = `/v1/posts/${draft.body.id}`
      assert.deepStrictEqual(fetched, [])
      const shown = Effect.map(call("GET", path), ({ body }) => body.data)
      assert.notProperty((yield* shown).platform_settings.youtube, "thumbnail")

      const scheduled = yield* call("PATCH", path, { scheduled_at: at, status: "scheduled" })
      assert.strictEqual(scheduled.status, 200, JSON.stringify(scheduled.body))
      assert.deepStrictEqual(scheduled.body.data.platform_settings.youtube, {
        title: "A talk",
        thumbnail_url: one,
        thumbnail: keptOf(one)
      })
      const { platform_settings, revision } = yield* shown
      assert.deepStrictEqual(platform_settings, scheduled.body.data.platform_settings)

      // The same settings again, with a picture that a request can't set.
      const forged = { youtube: { ...platform_settings.youtube, thumbnail: { ...keptOf(one), hash: "cd".repeat(32) } } }
      const same = yield* call("PATCH", path, { platform_settings: forged })
      assert.deepStrictEqual([same.status, same.body.data.revision], [200, revision])
      assert.deepStrictEqual(same.body.data.platform_settings, platform_settings)
      yield* call("PATCH", path, { content: "Another text" })
      assert.deepStrictEqual(fetched, [one])

      const other = yield* call("PATCH", path, { platform_settings: post(two).platform_settings })
      assert.deepStrictEqual(other.body.data.platform_settings.youtube.thumbnail, keptOf(two))
      const without = yield* call("PATCH", path, { platform_settings: { youtube: { title: "A talk" } } })
      assert.deepStrictEqual(without.body.data.platform_settings, { youtube: { title: "A talk" } })
      assert.deepStrictEqual(fetched, [one, two])
    })
  )

  it.effect("A post with a picture that is not there can be drafted, but not scheduled or published", () =>
    Effect.gen(function* () {
      const { call, post } = yield* world
      const refused = yield* call("POST", "/v1/posts", { ...post(gone), schedule_at: at })
      assert.deepStrictEqual(
        [refused.status, refused.body.errors],
        [
          400,
          [
            {
              path: ["platform_settings", "youtube", "thumbnail_url"],
              message: "The picture can't be used: its server answered with the status 404"
            }
          ]
        ]
      )
      const draft = yield* call("POST", "/v1/posts", post(gone))
      const publish = yield* call("POST", `/v1/posts/${draft.body.id}/publish`)
      assert.strictEqual(publish.status, 400)
      assert.strictEqual((yield* call("GET", `/v1/posts/${draft.body.id}`)).body.data.status, "draft")
    })
  )

  it.effect("A published draft has its picture, and a repeated request fetches nothing", () =>
    Effect.gen(function* () {
      const { call, post } = yield* world
      const headers = { "idempotency-key": "once" }
      const first = yield* call("POST", "/v1/posts", { ...post(one), schedule_at: at }, headers)
      const again = yield* call("POST", "/v1/posts", { ...post(one), schedule_at: at }, headers)
      assert.deepStrictEqual([again.status, again.body.id], [first.status, first.body.id])
      assert.deepStrictEqual(fetched, [one])
      const draft = yield* call("POST", "/v1/posts", post(two))
      assert.strictEqual((yield* call("POST", `/v1/posts/${draft.body.id}/publish`)).status, 202)
      const { data } = (yield* call("GET", `/v1/posts/${draft.body.id}`)).body
      assert.deepStrictEqual(data.platform_settings.youtube.thumbnail, keptOf(two))
    })
  )
})
