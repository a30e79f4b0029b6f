import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { imageFacts, storeFile } from "../../support/database/mediaFixtures.ts"
import { errorPaths, keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const at = "1970-01-05T00:00:00.000Z"

/** A team, and its requests. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sendAs =
    (key: string) =>
    (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
      sendJson(`${url}/v1/posts${path}`, method, { ...keyHeaders(key), ...more }, body)
  const send = sendAs(team.key)
  const create = (platforms: ReadonlyArray<string>, more: object = {}) =>
    Effect.map(send("POST", "", { content: "Hello", platforms, ...more }), ({ body }): string => body.id)
  const change = (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    send("PATCH", `/${id}`, body, headers)
  const read = (id: string) => Effect.map(send("GET", `/${id}`), ({ body }) => body.data)
  return { ...team, sql, sendAs, send, create, change, read }
})

const platformsOf = (post: { post_targets: ReadonlyArray<{ integrations: { platform: string } }> }) =>
  post.post_targets.map(({ integrations }) => integrations.platform)

layer(databaseServerLayer())("changing the platforms of a post", (it) => {
  it.effect("A setting that does not fit hides no other wrong field of a change, and nothing is stored", () =>
    Effect.gen(function* () {
      const { change, create, read } = yield* start
      const id = yield* create(["twitter"], { schedule_at: at })
      const before = yield* read(id)
      const platform_settings = { twitter: { who_can_reply: "nobody" } }
      const wrong = yield* change(id, { content: "a".repeat(281), platform_settings, tags: ["a".repeat(101)] })
      assert.strictEqual(wrong.status, 400)
      assert.sameDeepMembers(errorPaths(wrong.body), [
        ["platform_settings", "twitter", "who_can_reply"],
        ["tags", 0],
        ["content"]
      ])
      assert.deepStrictEqual(yield* read(id), before)
    })
  )

  it.effect("Targets of a draft and of a scheduled post are added and removed, and the revision says so", () =>
    Effect.gen(function* () {
      const { change, create, read, send, sql } = yield* start
      for (const more of [{}, { schedule_at: at }]) {
        const id = yield* create(["twitter"], more)
        const added = yield* change(id, { platforms: ["bluesky", "twitter"] })
        assert.strictEqual(added.status, 200)
        const { data } = added.body
        assert.deepStrictEqual([platformsOf(data), data.revision], [["twitter", "bluesky"], 2])
        assert.deepStrictEqual(yield* read(id), data)
        const [first, second] = data.post_targets
        assert.deepStrictEqual(second, {
          ...first,
          account_id: "account-bluesky",
          integrations: { platform: "bluesky" }
        })
        const due = yield* sql`SELECT DISTINCT due_at, due_since FROM post_targets WHERE post_id = ${id}::uuid`
        assert.deepStrictEqual(due, [
          "schedule_at" in more ? { due_at: new Date(at), due_since: new Date(at) } : { due_at: null, due_since: null }
        ])
        const removed = yield* change(id, { platforms: ["bluesky"] })
        assert.deepStrictEqual([platformsOf(removed.body.data), removed.body.data.revision], [["bluesky"], 3])
        const stale = yield* change(id, { platforms: ["twitter"] }, { "if-match": '"2"' })
        assert.strictEqual(stale.status, 412)
        assert.strictEqual((yield* send("POST", `/${id}/publish`)).status, 202)
      }
    })
  )

  it.effect("The same platforms in whatever order are no change, and null is none either", () =>
    Effect.gen(function* () {
      const { change, create } = yield* start
      const id = yield* create(["twitter", "bluesky"])
      for (const platforms of [["bluesky", "twitter"], ["twitter", "bluesky"], null]) {
        const { body } = yield* change(id, { platforms })
        assert.deepStrictEqual([platformsOf(body.data), body.data.revision], [["twitter", "bluesky"], 1])
      }
    })
  )

  it.effect("No platform, a platform twice and an unknown one are refused", () =>
    Effect.gen(function* () {
      const { change, create } = yield* start
      const id = yield* create(["twitter"])
      for (const [platforms, path] of [
        [[], ["platforms"]],
        [["twitter", "twitter"], ["platforms"]],
        [
          ["twitter", "myspace"],
          ["platforms", 1]
        ]
      ] as const) {
        assert.deepStrictEqual(errorPaths((yield* change(id, { platforms })).body), [path])
      }
    })
  )

  it.effect("An added platform needs a connected account, and one that stays does not", () =>
    Effect.gen(function* () {
      const { change, create, read, sql, workspaceId } = yield* start
      const id = yield* create(["twitter"], { schedule_at: at })
      const before = yield* read(id)
      const refused = yield* change(id, { content: "Other", platforms: ["twitter", "tiktok", "linkedin"] })
      assert.deepInclude(refused.body, {
        status: 400,
        code: "integration_not_connected",
        platforms: ["tiktok", "linkedin"]
      })
      assert.deepStrictEqual(yield* read(id), before)
      yield* sql`UPDATE integrations SET status = 'disconnected', credentials = NULL
        WHERE workspace_id = ${workspaceId}::uuid AND platform = 'twitter'`
      const added = yield* change(id, { platforms: ["twitter", "bluesky"] })
      assert.deepStrictEqual(platformsOf(added.body.data), ["twitter", "bluesky"])
      assert.deepStrictEqual(platformsOf((yield* change(id, { platforms: ["bluesky"] })).body.data), ["bluesky"])
      assert.strictEqual((yield* change(id, { platforms: ["twitter"] })).body.code, "integration_not_connected")
    })
  )

  it.effect("A scheduled post is added to a platform only if its text and its files are for that, and a draft is", () =>
    Effect.gen(function* () {
      const { change, create, workspaceId } = yield* start
      const long = { content: "x".repeat(299) }
      const scheduled = yield* create(["bluesky"], { ...long, schedule_at: at })
      const refused = yield* change(scheduled, { platforms: ["bluesky", "twitter"] })
      assert.deepInclude(refused.body, { code: "content_too_long" })
      const changed = yield* change(scheduled, { content: "Short", platforms: ["bluesky", "twitter"] })
      assert.strictEqual(changed.status, 200)
      const draft = yield* create(["bluesky"], long)
      assert.strictEqual((yield* change(draft, { platforms: ["bluesky", "twitter"] })).status, 200)
      assert.strictEqual(
        (yield* change(draft, { status: "scheduled", scheduled_at: at })).body.code,
        "content_too_long"
      )
      const withX = yield* change(draft, { platforms: ["bluesky"], status: "scheduled", scheduled_at: at })
      assert.strictEqual(withX.body.data.status, "scheduled")

      const gif = yield* storeFile(workspaceId, {
        facts: { ...imageFacts, type: "gif", contentType: "image/gif", frames: 2, animated: true, durationMs: 700_000 }
      })
      const animated = yield* create(["twitter"], { media: [{ id: gif.id }], schedule_at: at })
      assert.deepStrictEqual(errorPaths((yield* change(animated, { platforms: ["twitter", "bluesky"] })).body), [
        ["media", 0]
      ])
    })
  )

  it.effect("Overrides and settings of a removed platform stay, and hold again once it is added", () =>
    Effect.gen(function* () {
      const { change, create } = yield* start
      const platform_overrides = { twitter: "For X" }
      const platform_settings = { twitter: { who_can_reply: "following" } }
      const id = yield* create(["twitter", "bluesky"], { platform_overrides, platform_settings, schedule_at: at })
      const { body } = yield* change(id, { platforms: ["bluesky"] })
      assert.deepInclude(body.data, { platform_overrides, platform_settings })
      // An unused override can be longer than its platform accepts.
      const unused = { twitter: "x".repeat(500) }
      assert.strictEqual((yield* change(id, { platform_overrides: unused })).status, 200)
      assert.strictEqual((yield* change(id, { platforms: ["twitter"] })).body.code, "content_too_long")
    })
  )

  it.effect("Once an attempt has begun, or one may have been made, the platforms stay as they are", () =>
    Effect.gen(function* () {
      const { change, create, sql } = yield* start
      for (const begun of [
        "status = 'published', published_at = now(), due_at = NULL, due_since = NULL",
        "attempts = 1",
        "sent_at = now(), prepared = '{}'",
        "reconcile_from = now()",
        "reconcile_from = now(), reconcile_until = now()"
      ]) {
        const id = yield* create(["twitter", "bluesky"], { schedule_at: at })
        yield* sql.unsafe(`UPDATE post_targets SET ${begun} WHERE post_id = $1::uuid AND platform = 'twitter'`, [id])
        for (const platforms of [["twitter"], ["bluesky"]]) {
          assert.strictEqual((yield* change(id, { platforms })).body.code, "invalid_state", begun)
        }
        const same = yield* change(id, { platforms: ["twitter", "bluesky"], tags: ["a"] })
        assert.strictEqual(same.status, 200, begun)
      }
      for (const status of ["publishing", "published", "failed"]) {
        const id = yield* create(["twitter"], { schedule_at: at })
        yield* sql`UPDATE posts SET status = ${status}, published_at = CASE ${status} WHEN 'published' THEN now() END
          WHERE id = ${id}::uuid`
        assert.strictEqual((yield* change(id, { platforms: ["bluesky"] })).body.code, "invalid_state", status)
      }
    })
  )

  it.effect("A key that requires approval asks again for the other platforms, and changes no others' drafts", () =>
    Effect.gen(function* () {
      const { create, read, send, sendAs, workspaceId } = yield* start
      const agent = yield* makeKey(workspaceId, { requiresApproval: true })
      const asAgent = sendAs(agent.key)
      const scheduled = { content: "Hello", platforms: ["twitter"], schedule_at: at }
      const { body } = yield* asAgent("POST", "", scheduled)
      const id: string = body.id
      const other = { platforms: ["bluesky"] }
      assert.strictEqual((yield* asAgent("PATCH", `/${id}`, other)).status, 428)
      const changed = yield* asAgent("PATCH", `/${id}`, other, { "if-match": '"1-draft"' })
      assert.deepStrictEqual([changed.body.data.revision, changed.body.data.approval.revision], [2, 1])
      assert.strictEqual((yield* send("POST", `/${id}/approve`, { revision: 1 })).body.code, "revision_mismatch")
      const asked = yield* asAgent(
        "PATCH",
        `/${id}`,
        { platforms: ["twitter", "bluesky"], status: "scheduled" },
        { "if-match": '"2-draft"' }
      )
      assert.deepInclude(asked.body.data.approval, { status: "requested", revision: 3 })
      assert.strictEqual((yield* send("POST", `/${id}/approve`, { revision: 3 })).body.data.status, "scheduled")
      assert.deepStrictEqual(platformsOf(yield* read(id)), ["bluesky", "twitter"])
      const own = yield* create(["twitter"])
      assert.strictEqual((yield* asAgent("PATCH", `/${own}`, other)).body.code, "not_own_draft")
    })
  )

  it.effect("An upload for a removed platform is not kept, and one is ordered for an added one", () =>
    Effect.gen(function* () {
      const { change, create, sql, workspaceId } = yield* start
      const media = [{ id: (yield* storeFile(workspaceId)).id }]
      const id = yield* create(["twitter"], { media, schedule_at: at })
      const token = "01a1fc17-dc2e-777d-ad63-5a461a1bba49"
      yield* sql`UPDATE post_target_uploads SET status = 'uploading', claim_token = ${token}::uuid, lease_until = now(), next_at = NULL
        WHERE workspace_id = ${workspaceId}::uuid`
      const uploads = sql`SELECT t.platform, u.status, u.claim_token, u.revision FROM post_target_uploads u
        JOIN post_targets t ON t.id = u.target_id WHERE t.post_id = ${id}::uuid ORDER BY t.position`
      yield* change(id, { platforms: ["bluesky"] })
      const waiting = { platform: "bluesky", status: "waiting", claim_token: null, revision: 2 }
      assert.deepStrictEqual(yield* uploads, [waiting])
      yield* change(id, { platforms: ["bluesky", "twitter"] })
      assert.deepStrictEqual(yield* uploads, [
        { ...waiting, revision: 3 },
        { ...waiting, platform: "twitter", revision: 3 }
      ])
      yield* change(id, { platforms: ["bluesky"], status: "draft" })
      assert.deepStrictEqual(yield* uploads, [])
    })
  )
})
