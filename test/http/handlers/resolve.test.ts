import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TargetId } from "../../../src/domain/ids.ts"
import { withDuplicateWarning } from "../../../src/domain/publishing/settlement.ts"
import { recordKey } from "../../../src/platforms/bluesky/postRecord.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

/** The URL of a post whose id is later than all ids that this process generates. */
const tweet = (number: number, account = "team_twitter") =>
  `https://x.com/${account}/status/${3_234_567_890_123_456_000n + BigInt(number)}`

/** A team with a failed post whose outcome is unknown. */
const start = Effect.fn("start")(function* (platforms: ReadonlyArray<string> = ["twitter"]) {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const send = (method: string, path: string, body?: unknown, key = team.key) =>
    sendJson(`${url}/v1/posts${path}`, method, keyHeaders(key), body)
  const create = Effect.gen(function* () {
    const { body } = yield* send("POST", "", { content: "Hello", platforms, schedule_at: "1970-01-01T00:00:00Z" })
    const id: string = body.id
    yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, sent_at = created.at,
      prepared = '{"text":"Hello"}', attempts = 4, error_code = 'outcome_unknown', error_message = 'Check the account',
      error_retryable = false FROM (SELECT to_timestamp(0) AS at) created WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
    return id
  })
  const resolve = (id: string, body: object, platform = "twitter") =>
    send("POST", `/${id}/targets/${platform}/resolve`, body)
  const events = (id: string) =>
    Effect.map(send("GET", `/${id}/history`), ({ body }): ReadonlyArray<string> =>
      body.data.map(({ event }: { event: { type: string } }) => event.type)
    )
  return { ...team, send, create, resolve, events, id: yield* create }
})

layer(databaseServerLayer())("resolving an unknown outcome", (it) => {
  it.effect("A target that a person found published is published, with its URL, and so is its post", () =>
    Effect.gen(function* () {
      const { events, id, resolve } = yield* start()
      const { body, status } = yield* resolve(id, { outcome: "published", url: `${tweet(123)}?s=20#top` })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { status: "published", published_at: "1970-01-01T00:00:00.000Z" })
      assert.deepInclude(body.data.post_targets[0], {
        status: "published",
        platform_post_url: tweet(123),
        published_at: "1970-01-01T00:00:00.000Z",
        error: null
      })
      assert.deepStrictEqual((yield* events(id)).toSorted(), [
        "post.published",
        "post.scheduled",
        "post.target.published"
      ])
      assert.deepInclude((yield* resolve(id, { outcome: "not_published" })).body, { code: "invalid_state" })
    })
  )

  it.effect("A post with another target that is unknown stays failed until that one is resolved too", () =>
    Effect.gen(function* () {
      const { id, resolve } = yield* start(["twitter", "bluesky"])
      const first = yield* resolve(id, { outcome: "published" })
      assert.deepInclude(first.body.data, { status: "failed", published_at: null })
      const url = "https://bsky.app/profile/team_bluesky/post/3lhxkz7ab2c2d"
      const second = yield* resolve(id, { outcome: "published", url }, "bluesky")
      assert.strictEqual(second.body.data.status, "published")
      assert.deepInclude(second.body.data.post_targets[1], { status: "published", platform_post_url: url })
    })
  )

  it.effect("A target that a person found nothing of can be published again", () =>
    Effect.gen(function* () {
      const { events, id, resolve, send } = yield* start()
      const { body } = yield* resolve(id, { outcome: "not_published" })
      assert.strictEqual(body.data.status, "failed")
      assert.deepInclude(body.data.post_targets[0].error, { code: "gave_up", retryable: true })
      assert.deepStrictEqual((yield* events(id)).toSorted(), ["post.failed", "post.scheduled", "post.target.failed"])
      assert.strictEqual((yield* send("POST", `/${id}/publish`)).body.data.status, "scheduled")
    })
  )

  it.effect("One order resolves a target and publishes it again, and the post keeps its own time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { events, id, resolve, send } = yield* start(["twitter", "bluesky"])
      const planned = "1969-12-24T09:00:00.000Z"
      yield* sql`UPDATE posts SET scheduled_at = ${planned}::timestamptz WHERE id = ${id}::uuid`
      const { body, status } = yield* resolve(id, { outcome: "not_published", publish_again: true })
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { status: "scheduled", scheduled_at: planned, revision: 2 })
      const [twitter, bluesky] = body.data.post_targets
      assert.deepInclude(twitter, { status: "pending", error: null })
      // Nobody has looked there.
      assert.deepInclude(bluesky, { status: "failed" })
      assert.strictEqual(bluesky.error.code, "outcome_unknown")
      assert.deepStrictEqual((yield* send("GET", `/${id}`)).body.data, body.data)
      const targets = yield* sql`SELECT platform, due_since, due_at, sent_at, reconcile_from IS NOT NULL AS looks
        FROM post_targets WHERE post_id = ${id}::uuid ORDER BY position`
      const now = new Date(0)
      assert.deepInclude(targets[0], { due_since: now, due_at: now, sent_at: null, looks: true })
      assert.deepInclude(targets[1], { due_since: null, due_at: null, sent_at: now, looks: false })
      assert.strictEqual((yield* events(id)).filter((type) => type === "post.scheduled").length, 2)
    })
  )

  it.effect("Of two people who order a target again at once, one is refused, and it is due once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { create, events, resolve } = yield* start()
      for (let round = 0; round < 5; round++) {
        const id = yield* create
        const order = resolve(id, { outcome: "not_published", publish_again: true })
        const answers = yield* Effect.all([order, order], { concurrency: 2 })
        assert.sameMembers(
          answers.map(({ status }) => status),
          [200, 400]
        )
        assert.strictEqual((yield* events(id)).filter((type) => type === "post.target.failed").length, 1)
        // Nor is it ordered again after it was sent.
        yield* sql`UPDATE post_targets SET status = 'published', published_at = to_timestamp(0), due_at = NULL, due_since = NULL
          WHERE post_id = ${id}::uuid`
        assert.deepInclude((yield* order).body, { code: "invalid_state" })
      }
    })
  )

  it.effect("A repeated order with its Idempotency-Key gets the first response, and orders nothing", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { create, key, send } = yield* start()
      const id = yield* create
      const headers = { ...keyHeaders(key), "idempotency-key": "again" }
      const order = sendJson(`${url}/v1/posts/${id}/targets/twitter/resolve`, "POST", headers, {
        outcome: "not_published",
        publish_again: true
      })
      const both = yield* Effect.all([order, order], { concurrency: 2 })
      assert.includeMembers(
        [
          [200, 200],
          [200, 409],
          [409, 200]
        ].map(String),
        [String(both.map(({ status }) => status))]
      )
      const replayed = yield* order
      assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual(replayed.body, (yield* send("GET", `/${id}`)).body)
    })
  )

  it.effect("What can't be published again is not resolved either, and only the absent is published again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, resolve, send } = yield* start()
      const found = yield* resolve(id, { outcome: "published", publish_again: true })
      assert.deepInclude(found.body, { status: 400, code: "invalid_request" })
      yield* sql`UPDATE posts SET content = ${"a".repeat(281)} WHERE id = ${id}::uuid`
      const refused = yield* resolve(id, { outcome: "not_published", publish_again: true })
      assert.strictEqual(refused.body.code, "content_too_long")
      const { body } = yield* send("GET", `/${id}`)
      assert.deepInclude(body.data, { status: "failed", revision: 1 })
      assert.strictEqual(body.data.post_targets[0].error.code, "outcome_unknown")
    })
  )

  it.effect("A target is published again while its post is still being published elsewhere", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, resolve } = yield* start(["twitter", "bluesky"])
      yield* sql`UPDATE post_targets SET status = 'publishing', claim_token = ${id}::uuid, lease_until = to_timestamp(60),
        due_at = to_timestamp(0), due_since = to_timestamp(0), error_code = NULL, error_message = NULL, error_retryable = NULL
        WHERE post_id = ${id}::uuid AND platform = 'bluesky'`
      yield* sql`UPDATE posts SET status = 'publishing' WHERE id = ${id}::uuid`
      const { body } = yield* resolve(id, { outcome: "not_published", publish_again: true })
      assert.strictEqual(body.data.status, "publishing")
      assert.deepStrictEqual(
        body.data.post_targets.map(({ status }: { readonly status: string }) => status),
        ["pending", "publishing"]
      )
    })
  )

  it.effect("A target whose account lost its access before the platform could be asked is resolved all the same", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { create, resolve } = yield* start()
      const failWith = Effect.fnUntraced(function* (code: string, message: string, sent: boolean) {
        const id = yield* create
        yield* sql`UPDATE post_targets SET error_code = ${code}, error_message = ${message},
          sent_at = CASE WHEN ${sent} THEN sent_at END WHERE post_id = ${id}::uuid`
        return id
      })
      const warning = withDuplicateWarning("The account has to be connected again")
      for (const [code, message, sent, expected] of [
        ["needs_reconnect", warning, true, 200],
        ["needs_reconnect", "The account has to be connected again", true, 200],
        ["gave_up", warning, false, 200],
        ["rejected", "The text is too long", true, 200],
        ["rejected", "The text is too long", false, 400],
        ["needs_reconnect", "The account has to be connected again", false, 400]
      ] as const) {
        const id = yield* failWith(code, message, sent)
        assert.strictEqual((yield* resolve(id, { outcome: "published" })).status, expected, `${code} ${sent}`)
      }
    })
  )

  it.effect("The URL has to be that of a post on the platform, over https, and of no other post", () =>
    Effect.gen(function* () {
      const { create, id, resolve } = yield* start()
      for (const url of [
        "http://x.com/acme/status/123",
        "https://x.com/acme",
        "https://x.com.example/acme/status/123",
        "https://bsky.app/profile/acme.example/post/3lhxkz7ab2c2d",
        "x.com/acme/status/123",
        "javascript:alert(1)"
      ]) {
        const { body } = yield* resolve(id, { outcome: "published", url })
        assert.deepStrictEqual([body.status, body.errors?.[0].path], [400, ["url"]], url)
      }
      assert.strictEqual((yield* resolve(id, { outcome: "not_published", url: tweet(123) })).status, 400)
      assert.strictEqual((yield* resolve(id, { outcome: "published", url: tweet(77) })).status, 200)
      const other = yield* create
      const taken = yield* resolve(other, { outcome: "published", url: tweet(77) })
      assert.deepStrictEqual([taken.status, taken.body.errors[0].path], [400, ["url"]])
    })
  )

  it.effect("The URL has to be of the account, or of none where the platform's own address names none", () =>
    Effect.gen(function* () {
      const { create, id, resolve } = yield* start(["twitter", "bluesky"])
      const published = (url: string, platform?: string, post = id) =>
        resolve(post, { outcome: "published", url }, platform)
      const other = yield* published(tweet(5, "somebody_else"))
      assert.deepStrictEqual([other.status, other.body.errors[0].path], [400, ["url"]])
      assert.include(other.body.detail, tweet(5, "i"))
      assert.strictEqual((yield* published(tweet(5, "i"))).status, 200)
      const profile = (account: string) => `https://bsky.app/profile/${account}/post/3lhxkz7ab2c2d`
      for (const account of ["eve.example", "did:plc:eve"]) {
        assert.strictEqual((yield* published(profile(account), "bluesky")).status, 400, account)
      }
      assert.strictEqual((yield* published(profile("account-bluesky"), "bluesky")).status, 200)
      const renamed = yield* create
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE post_targets SET account_id = 'another' WHERE post_id = ${renamed}::uuid`
      assert.strictEqual((yield* published(tweet(6, "formerly"), "twitter", renamed)).status, 200)
    })
  )

  it.effect("A post on Bluesky that belongs to another post here, or to a part of one, is not taken for this one", () =>
    Effect.gen(function* () {
      const { create, id, resolve } = yield* start(["bluesky"])
      const sql = yield* SqlClient.SqlClient
      const other = yield* create
      const [target] = yield* sql<{ readonly id: TargetId }>`SELECT id FROM post_targets WHERE post_id = ${other}::uuid`
      if (target === undefined) return yield* Effect.die("The other post has no target")
      const address = (part: number) => `https://bsky.app/profile/account-bluesky/post/${recordKey(target.id, part)}`
      const uri = (part: number) => `at://account-bluesky/app.bsky.feed.post/${recordKey(target.id, part)}`
      yield* sql`UPDATE post_targets SET platform_post_id = ${uri(1)},
        parts = jsonb_build_array(jsonb_build_object('id', ${uri(2)}::text)) WHERE id = ${target.id}::uuid`
      for (const part of [1, 2]) {
        const { body, status } = yield* resolve(id, { outcome: "published", url: address(part) }, "bluesky")
        assert.deepStrictEqual([status, body.errors?.[0].path], [400, ["url"]], `part ${part}`)
        assert.include(body.detail, "that URL belongs to another post on Bluesky")
      }
      assert.strictEqual((yield* resolve(id, { outcome: "published", url: address(3) }, "bluesky")).status, 200)
    })
  )

  it.effect("What is known already, or belongs to others, can't be resolved", () =>
    Effect.gen(function* () {
      const { id, resolve, send, workspaceId } = yield* start()
      const stranger = yield* start()
      assert.strictEqual((yield* stranger.resolve(id, { outcome: "published" })).status, 404)
      assert.strictEqual((yield* resolve(id, { outcome: "published" }, "bluesky")).status, 404)
      assert.strictEqual((yield* resolve(id, { outcome: "published" }, "myspace")).status, 400)
      const { key } = yield* makeKey(workspaceId, { requiresApproval: true, scopes: ["posts:publish"] })
      const path = `/${id}/targets/twitter/resolve`
      assert.strictEqual((yield* send("POST", path, { outcome: "published" }, key)).body.code, "approval_required")
      const draft = (yield* send("POST", "", { content: "Hello", platforms: ["twitter"] })).body.id
      assert.strictEqual((yield* resolve(draft, { outcome: "published" })).body.code, "invalid_state")
    })
  )

  it.effect("Of two people who resolve one target at once, one is refused", () =>
    Effect.gen(function* () {
      const { id, resolve } = yield* start()
      const answers = [resolve(id, { outcome: "published" }), resolve(id, { outcome: "not_published" })]
      const responses = yield* Effect.all(answers, { concurrency: 2 })
      assert.sameMembers(
        responses.map(({ status }) => status),
        [200, 400]
      )
    })
  )

  it.effect("A post on X from before the post was created is refused", () =>
    Effect.gen(function* () {
      const { create, resolve } = yield* start()
      const sql = yield* SqlClient.SqlClient
      const id = yield* create
      // An id from November 2026.
      const later = "01a1fc17-dc2e-777d-ad63-5a461a1bba45"
      yield* sql`INSERT INTO posts
        SELECT (jsonb_populate_record(p, jsonb_build_object('id', ${later}::text))).* FROM posts p WHERE id = ${id}::uuid`
      yield* sql`UPDATE post_targets SET post_id = ${later}::uuid WHERE post_id = ${id}::uuid`
      const named = (key: string, id = later) =>
        resolve(id, { outcome: "published", url: `https://x.com/i/status/${key}` })
      const { body, status } = yield* named("1892345678901234567")
      assert.deepStrictEqual([status, body.errors?.[0].path], [400, ["url"]])
      // For a post that does not exist, the ids are not compared.
      assert.strictEqual((yield* named("1892345678901234567", "01a1fc17-dc2e-777d-ad63-5a461a1bba46")).status, 404)
      assert.strictEqual((yield* named("3234567890123456789")).status, 200)
    })
  )
})
