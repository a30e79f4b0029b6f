import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { encodeTokens, requestedScope } from "../../../src/platforms/twitter/tokens.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, startOnDatabase } from "../../support/http/team.ts"

const at = "1970-01-01T02:00:00Z"
const tokens = { accessToken: "access", refreshToken: "refresh" }
const versionBefore = encodeTokens({ ...tokens, scope: "tweet.read tweet.write users.read offline.access" })
const withMedia = encodeTokens({ ...tokens, scope: requestedScope })

/** A workspace with an X account, a file and a key, and its notifications. */
const makeCaller = Effect.fn("makeCaller")(function* (credentials: Redacted.Redacted) {
  const { integrations, notifications, workspaces } = yield* Repo
  const { id: workspace } = yield* workspaces.create("A team")
  const connect = (secret: Redacted.Redacted) =>
    integrations.connect(workspace, {
      platform: "twitter",
      accountId: "1",
      username: "acme",
      displayName: null,
      avatarUrl: null,
      serviceUrl: null,
      credentials: secret
    })
  const { id } = yield* connect(credentials)
  const { key } = yield* makeKey(workspace)
  const url = yield* ServerUrl
  const call = (method: string, path: string, body?: unknown, server = url) =>
    sendJson(`${server}/v1${path}`, method, keyHeaders(key), body)
  const media = [{ id: (yield* storeFile(workspace)).id }]
  const told = Effect.map(notifications.page(workspace, 0, 10), ({ data }) => data)
  return { call, connect, id, media, told, workspace }
})

const post = { content: "Hello", platforms: ["twitter"] }

layer(databaseServerLayer())("An X account that was connected before the service asked for media", (it) => {
  it.effect(
    "Its workspace is told when the first post with media is scheduled, once over all posts and processes",
    () =>
      Effect.gen(function* () {
        const { call, id, media, told } = yield* makeCaller(versionBefore)
        const schedule = { ...post, media, schedule_at: at }
        assert.strictEqual((yield* call("POST", "/posts", { ...post, schedule_at: at })).status, 201)
        const draft = yield* call("POST", "/posts", { ...post, media })
        assert.lengthOf(yield* told, 0)
        const created = yield* call("POST", "/posts", schedule)
        assert.deepStrictEqual([created.status, created.body.status], [201, "scheduled"])
        const [notification, ...others] = yield* told
        assert.lengthOf(others, 0)
        // The previous version can list this type.
        assert.deepInclude(notification, {
          title: "Connect X again to publish media",
          type: "integration.disconnected",
          action_url: "/accounts"
        })
        assert.deepInclude(notification?.metadata, { integration_id: id, platform: "twitter" })
        assert.include(notification?.message, "Posts without them still go out")

        yield* call("POST", "/posts", schedule)
        yield* call("PATCH", `/posts/${draft.body.id}`, { status: "scheduled", scheduled_at: at })
        yield* call("POST", `/posts/${draft.body.id}/publish`)
        yield* call("POST", "/posts", schedule, yield* startOnDatabase())
        assert.lengthOf(yield* told, 1)
      })
  )

  it.effect("Its workspace is told where a draft is scheduled, published or approved", () =>
    Effect.gen(function* () {
      const change = { status: "scheduled", scheduled_at: at }
      for (const [method, path, body] of [
        ["PATCH", "", change],
        ["POST", "/publish", undefined]
      ] as const) {
        const { call, media, told } = yield* makeCaller(encodeTokens(tokens))
        const { body: draft } = yield* call("POST", "/posts", { ...post, media })
        const { text } = yield* call(method, `/posts/${draft.id}${path}`, body)
        assert.lengthOf(yield* told, 1, text)
      }
      const { call, media, told, workspace } = yield* makeCaller(encodeTokens(tokens))
      const agent = keyHeaders((yield* makeKey(workspace, { requiresApproval: true })).key)
      const url = yield* ServerUrl
      const { body } = yield* sendJson(`${url}/v1/posts`, "POST", agent, { ...post, media, schedule_at: at })
      assert.lengthOf(yield* told, 1)
      yield* call("POST", `/posts/${body.id}/approve`, { revision: 1 })
      assert.deepStrictEqual(
        (yield* told).map(({ type }) => type),
        ["integration.disconnected", "post.approval_requested"]
      )
    })
  )

  it.effect("Once it was connected again it is told of again only if it still does not allow media", () =>
    Effect.gen(function* () {
      const { call, connect, media, told } = yield* makeCaller(versionBefore)
      const schedule = call("POST", "/posts", { ...post, media, schedule_at: at })
      yield* schedule
      yield* TestClock.adjust("1 minute")
      yield* connect(withMedia)
      yield* schedule
      assert.lengthOf(yield* told, 1)
      yield* TestClock.adjust("1 minute")
      yield* connect(versionBefore)
      yield* schedule
      assert.lengthOf(yield* told, 2)
    })
  )

  it.effect("Nobody is told of an account that allows media, or whose stored access can't be read", () =>
    Effect.gen(function* () {
      for (const credentials of [withMedia, Redacted.make("not ours")]) {
        const { call, media, told } = yield* makeCaller(credentials)
        assert.strictEqual((yield* call("POST", "/posts", { ...post, media, schedule_at: at })).status, 201)
        assert.lengthOf(yield* told, 0)
      }
    })
  )
})
