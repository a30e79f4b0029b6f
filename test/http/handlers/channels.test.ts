import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { defaultChannelTypes, type MailType } from "../../../src/domain/plain/mail.ts"
import { maxChannels } from "../../../src/domain/plain/limits.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { type Answer, makeChatReceiver } from "../../chat/chatReceiver.ts"
import { channelTestsAt, secretUrls } from "../../chat/world.ts"
import { failPosts, forgetDeliveries } from "../../mail/world.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { errorPaths, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import {
  databaseServerLayer,
  makeKey,
  makeMember,
  makeSession,
  makeTeam,
  startOnDatabase
} from "../../support/http/team.ts"

const url = secretUrls.slack
const shown = "https://hooks.slack.com/…lack"
const slack = { kind: "slack", name: "#social", url }

/** A team, and calls with its key. */
const start = Effect.gen(function* () {
  const server = yield* ServerUrl
  const team = yield* makeTeam
  const callWith = (key: string) => (method: string, path: string, body?: unknown) =>
    sendJson(`${server}/v1${path}`, method, keyHeaders(key), body)
  const other = yield* makeTeam
  return { team, server, call: callWith(team.key), callWith, asStranger: callWith(other.key) }
})

layer(databaseServerLayer({ rateLimitPerMinute: 10_000 }))("channels", (it) => {
  it.effect("A channel is created, read, changed and deleted, and its URL is a secret in every response", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const sql = yield* SqlClient.SqlClient
      const created = yield* call("POST", "/channels", slack)
      assert.strictEqual(created.status, 201)
      const { data } = created.body
      const path = `/channels/${data.id}`
      assert.strictEqual(created.headers.get("location"), `https://posts.example/v1${path}`)
      assert.deepInclude(data, {
        kind: "slack",
        name: "#social",
        url: shown,
        types: [...defaultChannelTypes],
        enabled: true,
        disabled_reason: null
      })
      assert.deepInclude(data.created_by, { type: "key", name: "A key" })
      assert.deepStrictEqual((yield* call("GET", path)).body, created.body)
      assert.deepStrictEqual((yield* call("GET", "/channels")).body, { data: [data] })
      const stored = sql`SELECT sealed_url, to_json(c)::text AS text FROM channels c WHERE id = ${data.id}::uuid`
      const before = yield* stored
      assert.notInclude(JSON.stringify(before), "canary")
      for (const same of [shown, encodeURI(shown), url]) {
        yield* call("PATCH", path, { url: same })
        assert.deepStrictEqual(yield* stored, before)
      }
      const types: ReadonlyArray<MailType> = ["post.published", "post.failed"]
      const changed = yield* call("PATCH", path, { name: "Failures", types, enabled: false })
      assert.deepInclude(changed.body.data, {
        name: "Failures",
        types,
        enabled: false,
        disabled_reason: "manual",
        url: shown
      })
      const moved = yield* call("PATCH", path, { url: "https://hooks.slack.com/services/T1/B1/another1" })
      assert.deepInclude(moved.body.data, { url: "https://hooks.slack.com/…her1", enabled: false })
      assert.deepInclude((yield* call("PATCH", path, { enabled: true })).body.data, { disabled_reason: null })
      assert.notInclude(JSON.stringify([created.body, changed.body, moved.body]), "canary")
      assert.deepStrictEqual((yield* call("DELETE", path)).body, { data: { id: data.id, deleted: true } })
      for (const [method, more] of [
        ["GET", ""],
        ["DELETE", ""],
        ["POST", "/test"],
        ["GET", "/deliveries"]
      ] as const)
        assert.strictEqual((yield* call(method, `${path}${more}`)).body.code, "not_found", more)
    })
  )

  it.effect("Only the chat program's own addresses are taken, and no address of this network", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const refused = [
        ["slack", "https://hooks.slack.com.evil.example/services/T0/B0/abc"],
        ["slack", "http://hooks.slack.com/services/T0/B0/abc"],
        ["slack", secretUrls.discord],
        ["discord", secretUrls.slack],
        ["discord", "https://127.0.0.1/api/webhooks/1/abc"],
        ["mattermost", "http://chat.example/hooks/abc"],
        ["mattermost", "https://127.0.0.1/hooks/abc"],
        ["mattermost", "https://localhost/hooks/abc"],
        ["mattermost", "https://10.0.0.1/hooks/abc"],
        ["mattermost", "https://169.254.169.254/hooks/abc"],
        ["mattermost", "https://user:secret@chat.example/hooks/abc"],
        ["mattermost", "https://chat.example:8065/hooks/abc"],
        ["mattermost", "nonsense"],
        ["slack", shown],
        ["slack", ""]
      ] as const
      for (const [kind, target] of refused) {
        const { body, status } = yield* call("POST", "/channels", { kind, name: "x", url: target })
        assert.deepStrictEqual([status, body.code, errorPaths(body)], [400, "invalid_request", [["url"]]], target)
      }
      const { body } = yield* call("POST", "/channels", slack)
      for (const target of [secretUrls.discord, "https://10.0.0.1/hooks/abc", "https://hooks.slack.com/…abcd"]) {
        const changed = yield* call("PATCH", `/channels/${body.data.id}`, { url: target, name: "changed" })
        assert.deepStrictEqual([changed.body.code, errorPaths(changed.body)], ["invalid_request", [["url"]]])
      }
      assert.strictEqual((yield* call("GET", `/channels/${body.data.id}`)).body.data.name, "#social")
    })
  )

  it.effect("A body with mistakes gets one problem that lists them all", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const wrong = { kind: "irc", name: "", url: 1, types: ["post.nothing"], extra: true }
      const { body } = yield* call("POST", "/channels", wrong)
      assert.sameDeepMembers(errorPaths(body), [["kind"], ["name"], ["url"], ["types", 0], ["extra"]])
      assert.deepStrictEqual(errorPaths((yield* call("POST", "/channels", { ...slack, types: [] })).body), [["types"]])
      const created = yield* call("POST", "/channels", slack)
      const changed = yield* call("PATCH", `/channels/${created.body.data.id}`, { kind: "discord", name: "a\u0000" })
      assert.sameDeepMembers(errorPaths(changed.body), [["kind"], ["name"]])
    })
  )

  it.effect("A workspace has at most ten channels, even if they are created at the same moment", () =>
    Effect.gen(function* () {
      const { call } = yield* start
      const all = yield* Effect.all(
        Array.from({ length: maxChannels + 2 }, () => call("POST", "/channels", slack)),
        { concurrency: 4 }
      )
      assert.lengthOf(
        all.filter(({ status }) => status === 201),
        maxChannels
      )
      assert.strictEqual(all.find(({ status }) => status !== 201)?.body.code, "channel_limit")
    })
  )

  it.effect("A key needs webhooks:manage, a person has to be an admin, and others' channels are unknown", () =>
    Effect.gen(function* () {
      const { asStranger, call, callWith, server, team } = yield* start
      const { body } = yield* call("POST", "/channels", slack)
      const { id } = body.data
      const { key } = yield* makeKey(team.workspaceId, { scopes: ["posts:read"] })
      assert.strictEqual((yield* callWith(key)("GET", "/channels")).body.code, "insufficient_scope")
      const editor = yield* makeMember(team.workspaceId, "editor")
      const cookie = yield* makeSession(editor.id, team.workspaceId)
      const asEditor = yield* sendJson(`${server}/v1/channels`, "POST", sessionHeaders(cookie), slack)
      assert.strictEqual(asEditor.body.code, "insufficient_role")
      assert.deepStrictEqual((yield* asStranger("GET", "/channels")).body, { data: [] })
      for (const [method, path, sent] of [
        ["GET", "", undefined],
        ["PATCH", "", { enabled: true }],
        ["DELETE", "", undefined],
        ["POST", "/test", undefined],
        ["GET", "/deliveries", undefined],
        ["POST", `/deliveries/${id}/resend`, undefined]
      ] as const) {
        const { body: refused, status } = yield* asStranger(method, `/channels/${id}${path}`, sent)
        assert.deepStrictEqual([status, refused.code], [404, "not_found"], path)
      }
    })
  )

  it.effect("Messages are listed page by page, and sent again as new ones, unless the channel is disabled", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const { deliveries } = yield* Repo
      yield* forgetDeliveries
      const { body } = yield* call("POST", "/channels", slack)
      const path = `/channels/${body.data.id}`
      yield* failPosts(team.workspaceId, 2)
      yield* deliveries.dispatch(500)
      const [waiting] = (yield* call("GET", `${path}/deliveries`)).body.data
      assert.deepInclude(waiting, { type: "post.failed", count: 2, status: "pending", attempts: 0 })
      assert.notProperty(waiting, "email")
      const resend = () => call("POST", `${path}/deliveries/${waiting.id}/resend`)
      assert.strictEqual((yield* resend()).body.code, "invalid_state")
      yield* TestClock.adjust("5 seconds")
      const [claim] = yield* deliveries.claimChat(1, Duration.seconds(45))
      if (claim === undefined) return assert.fail("Nothing was claimed")
      const end = { status: "failed", nextAt: null, error: "Slack answered 500" } as const
      yield* deliveries.settleChat(claim, end, { heldUntil: yield* DateTime.now, isRevoked: false })
      const again = yield* resend()
      assert.strictEqual(again.status, 202)
      assert.deepInclude(again.body.data, { status: "pending", attempts: 0, count: 2, error: null })
      const first = yield* call("GET", `${path}/deliveries?limit=1`)
      assert.strictEqual(first.body.data[0].id, again.body.data.id)
      const rest = yield* call("GET", `${path}/deliveries?limit=1&cursor=${first.body.next_cursor}`)
      assert.deepInclude(rest.body.data[0], { id: waiting.id, error: "Slack answered 500" })
      assert.isNull(rest.body.next_cursor)
      assert.lengthOf((yield* call("GET", `${path}/deliveries?status=failed`)).body.data, 1)
      yield* call("PATCH", path, { enabled: false })
      assert.strictEqual((yield* resend()).body.code, "invalid_state")
      assert.strictEqual((yield* call("POST", `${path}/test`)).body.code, "invalid_state")
    })
  )
})

/** A stand-in whose next answer a test chooses. */
let next: Answer = { status: 200 }
const receiverLayer = Layer.effect(
  ServerUrl,
  Effect.gen(function* () {
    const { origin } = yield* makeChatReceiver(() => next)
    const repo = Layer.succeed(Repo, yield* Repo)
    return yield* startOnDatabase({ channelTests: Layer.provide(channelTestsAt(origin), repo) })
  })
).pipe(Layer.provideMerge(repoLayer))

layer(Layer.merge(receiverLayer, Logger.layer([])))("testing a channel", (it) => {
  const test = Effect.fn("test")(function* (answer: Answer) {
    const { call } = yield* start
    next = answer
    const { body } = yield* call("POST", "/channels", slack)
    const tested = yield* call("POST", `/channels/${body.data.id}/test`)
    const after = yield* call("GET", `/channels/${body.data.id}`)
    return { status: tested.status, result: tested.body.data, channel: after.body.data }
  })

  it.effect("The answer of the chat program is shown", () =>
    Effect.gen(function* () {
      const { channel, result, status } = yield* test({ status: 200, body: "ok" })
      assert.deepStrictEqual([status, result], [200, { delivered: true, answer: "Slack answered 200" }])
      assert.isTrue(channel.enabled)
      const refused = yield* test({ status: 500, body: "rollup_error" })
      assert.deepStrictEqual(refused.result, { delivered: false, answer: "Slack answered 500: rollup_error" })
      assert.isTrue(refused.channel.enabled)
      const cut = yield* test("cut")
      assert.isFalse(cut.result.delivered)
      assert.include(cut.result.answer, "the connection was cut")
    })
  )

  it.effect("A revoked URL disables the channel, and a pause holds its next message", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { channel } = yield* test({ status: 410, body: "channel_is_archived" })
      assert.deepInclude(channel, { enabled: false, disabled_reason: "revoked" })
      const limited = yield* test({ status: 429, headers: { "retry-after": "120" } })
      const [row] = yield* sql<{ readonly held: number }>`
        SELECT extract(epoch FROM held_until)::int AS held FROM channels WHERE id = ${limited.channel.id}::uuid`
      assert.isAtLeast(row?.held ?? 0, 120)
    })
  )

  it.effect("A channel shows a pause that the chat program asked for, but not the second after a message", () =>
    Effect.gen(function* () {
      const { call, team } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { body } = yield* call("POST", "/channels", slack)
      assert.isNull(body.data.paused_until)
      const pausedFor = Effect.fnUntraced(function* (seconds: number) {
        yield* sql`UPDATE channels SET held_until = now() + ${seconds}::int * interval '1 second'
          WHERE workspace_id = ${team.workspaceId}::uuid`
        return (yield* call("GET", "/channels")).body.data[0].paused_until
      })
      assert.match(yield* pausedFor(6 * 3600), /^\d{4}-\d\d-\d\dT.*Z$/)
      assert.isNull(yield* pausedFor(45))
      assert.isNull(yield* pausedFor(-10))
    })
  )
})
