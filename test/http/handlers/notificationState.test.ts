import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PostId } from "../../../src/domain/ids.ts"
import { postFailed } from "../../../src/notifier/messages.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam, notify } from "../../support/http/team.ts"

interface Summary {
  readonly title: string
  readonly read: boolean
}

const waits = "A post waits for approval"

const start = Effect.gen(function* () {
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const asAgent = (method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) =>
    sendJson(`${url}/v1/posts${path}`, method, { ...keyHeaders(agent.key), ...more }, body)
  const asPerson = (method: string, path: string, body?: unknown) =>
    sendJson(`${url}/v1/posts${path}`, method, sessionHeaders(team.cookie), body)
  const request = Effect.map(
    asAgent("POST", "", { content: "Hello", platforms: ["twitter"], schedule_at: "1970-01-20T00:00:00.000Z" }),
    ({ body }): string => body.id
  )
  const list = (headers: Readonly<Record<string, string>>, query = "") =>
    Effect.map(sendJson(`${url}/v1/notifications${query}`, "GET", headers), ({ body }) =>
      (body.data ?? assert.fail(JSON.stringify(body))).map(({ read, title }: Summary) => [title, read])
    )
  /** The notifications, after a check that the key and the member see the same. */
  const both = Effect.gen(function* () {
    const asKey = yield* list(keyHeaders(team.key))
    assert.deepStrictEqual(yield* list(sessionHeaders(team.cookie)), asKey)
    return asKey
  })
  return { ...team, url, asAgent, asPerson, request, list, both }
})

layer(databaseServerLayer())("what a notification asks for", (it) => {
  it.effect.each<readonly [string, string, string, object?]>([
    ["approved", "POST", "/approve", { revision: 1 }],
    ["rejected", "POST", "/reject", { revision: 1, reason: "Too early" }],
    ["published", "POST", "/publish"],
    ["deleted", "DELETE", ""],
    ["changed by somebody who asks for nothing", "PATCH", "", { content: "Hello again" }]
  ])("A request for approval is read for everybody once its post is %s", ([, method, path, body]) =>
    Effect.gen(function* () {
      const { asPerson, both, request } = yield* start
      const id = yield* request
      assert.deepStrictEqual(yield* both, [[waits, false]])
      assert.isBelow((yield* asPerson(method, `/${id}${path}`, body)).status, 300)
      assert.deepStrictEqual(yield* both, [[waits, true]])
    })
  )

  it.effect("Of a draft that was rejected and submitted again, the last request alone is unread", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, both, request } = yield* start
      const id = yield* request
      yield* asPerson("POST", `/${id}/reject`, { revision: 1, reason: "Too early" })
      for (const [content, revision] of [
        ["Later", 1],
        ["Later still", 2],
        ["Last", 3]
      ] as const) {
        const change = { content, status: "scheduled", scheduled_at: "1970-01-21T00:00:00.000Z" }
        const changed = yield* asAgent("PATCH", `/${id}`, change, { "if-match": `"${revision}"` })
        assert.strictEqual(changed.status, 200, JSON.stringify(changed.body))
      }
      assert.deepStrictEqual(
        (yield* both).map(([, read]: ReadonlyArray<unknown>) => read),
        [false, true, true, true]
      )
    })
  )

  it.effect(
    "A failure is read once its post was published after all or deleted, and one that counts several is not",
    () =>
      Effect.gen(function* () {
        const { asPerson, both, workspaceId } = yield* start
        const sql = yield* SqlClient.SqlClient
        const { events } = yield* Repo
        const fail = Effect.fnUntraced(function* (title: string) {
          const { body } = yield* asPerson("POST", "", { content: title, platforms: ["twitter"] })
          const postId = PostId.make(body.id)
          const failure = { platform: "twitter", code: "rejected", message: "No" } as const
          const post = { workspaceId, postId, status: "failed", content: title, targets: [] } as const
          const notification = { ...postFailed(post, [failure], undefined), title }
          yield* events.record({ events: [], notifications: [{ workspaceId, notification }] })
          yield* sql`UPDATE posts SET status = 'failed', scheduled_at = created_at WHERE id = ${postId}::uuid`
          return postId
        })
        const [deleted, published, counted] = yield* Effect.forEach(["deleted", "published", "counted"], fail)
        yield* sql`UPDATE notifications SET metadata = metadata || '{"count": 2}' WHERE title = 'counted'
        AND workspace_id = ${workspaceId}::uuid`
        assert.deepStrictEqual(yield* both, [
          ["counted", false],
          ["published", false],
          ["deleted", false]
        ])
        yield* sql`DELETE FROM posts WHERE id IN (${deleted}::uuid, ${counted}::uuid)`
        yield* sql`UPDATE posts SET status = 'published', published_at = created_at WHERE id = ${published}::uuid`
        assert.deepStrictEqual(yield* both, [
          ["counted", false],
          ["published", true],
          ["deleted", true]
        ])
      })
  )

  it.effect("A list has the notifications of a level alone, and their number", () =>
    Effect.gen(function* () {
      const { cookie, key, list, request, url, workspaceId } = yield* start
      yield* notify(workspaceId, "1")
      yield* request
      yield* notify(workspaceId, "2")
      for (const headers of [keyHeaders(key), sessionHeaders(cookie)]) {
        assert.deepStrictEqual(yield* list(headers, "?level=attention"), [[waits, false]])
        assert.deepStrictEqual(yield* list(headers, "?level=info"), [
          ["2", false],
          ["1", false]
        ])
        const refused = yield* sendJson(`${url}/v1/notifications?level=high`, "GET", headers)
        assert.deepStrictEqual([refused.status, refused.body.errors[0].path], [400, ["level"]])
      }
      const { body } = yield* sendJson(`${url}/v1/notifications?level=info&limit=1`, "GET", keyHeaders(key))
      assert.deepInclude(body, { total: 2, hasMore: true })
      assert.deepInclude(body.data[0], { type: "post.published", level: "info" })
    })
  )

  it.effect(
    "What happened before a member joined is read for them, and counts for nothing when all is marked as read",
    () =>
      Effect.gen(function* () {
        const { cookie, list, url, workspaceId } = yield* start
        yield* notify(workspaceId, "before")
        yield* TestClock.adjust("1 hour")
        const joined = yield* makeMember(workspaceId, "editor")
        yield* notify(workspaceId, "after")
        const headers = sessionHeaders(yield* makeSession(joined.id, workspaceId))
        assert.deepStrictEqual(yield* list(headers), [
          ["after", false],
          ["before", true]
        ])
        assert.deepStrictEqual(yield* list(sessionHeaders(cookie)), [
          ["after", false],
          ["before", false]
        ])
        const marked = yield* sendJson(`${url}/v1/notifications/read-all`, "POST", headers)
        assert.deepStrictEqual(marked.body, { data: { updated: 1 } })
      })
  )

  it.effect("A notification whose post can't be read keeps no other from being listed", () =>
    Effect.gen(function* () {
      const { both, request, workspaceId } = yield* start
      yield* request
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO notifications (id, workspace_id, type, title, message, metadata, created_at)
        SELECT gen_random_uuid(), workspace_id, 'post.later', 'broken', '', '{"post_id": "no"}', created_at
        FROM notifications WHERE workspace_id = ${workspaceId}::uuid`
      assert.sameDeepMembers(yield* both, [
        ["broken", false],
        [waits, false]
      ])
    })
  )
})
