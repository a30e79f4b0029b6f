import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import {
  aResult,
  deleteWebhooks,
  lease,
  makeWebhook,
  recordEvents,
  settleAs,
  someSlots
} from "../../support/database/webhookFixtures.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam, notify } from "../../support/http/team.ts"

/** A team, and functions that call the API with its key or session and expect a success. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sendAs = (headers: Readonly<Record<string, string>>) =>
    Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
      const response = yield* sendJson(`${url}/v1${path}`, method, headers, body)
      assert.isBelow(response.status, 300, `${method} ${path}: ${response.text}`)
      return response.body
    })
  const withKey = sendAs(keyHeaders(team.key))
  const draft = { content: "Hello", platforms: ["twitter"], schedule_at: "1970-01-20T00:00:00.000Z" }
  const makePost = Effect.map(withKey("POST", "/posts", draft), ({ id }): string => id)
  return { ...team, makePost, sql, withKey, withSession: sendAs(sessionHeaders(team.cookie)) }
})

const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

layer(Layer.merge(databaseServerLayer(), Logger.layer([])))("a row of which somebody has spoiled a part", (it) => {
  it.effect.each([`'5'`, `'{"post_id":1}'`, `'null'`])(
    "Where a notification's metadata is %s, pages have it without them, and the others",
    (metadata) =>
      Effect.gen(function* () {
        const { sql, withKey, withSession, workspaceId } = yield* start
        const oldest = yield* notify(workspaceId, "The oldest")
        const spoiled = yield* notify(workspaceId, "The spoiled one")
        const newest = yield* notify(workspaceId, "The newest")
        yield* sql`UPDATE notifications SET metadata = ${sql.literal(metadata)} WHERE id = ${spoiled}::uuid`
        const byNumber = yield* withKey("GET", "/notifications")
        assert.deepStrictEqual(idsOf(byNumber.data), [newest, spoiled, oldest])
        const shown = { title: "The spoiled one", message: "Hello", type: "post.published.unreadable", metadata: {} }
        assert.deepInclude(byNumber.data[1], shown)
        const first = yield* withSession("GET", "/notifications?limit=2")
        assert.deepStrictEqual(idsOf(first.data), [newest, spoiled])
        const second = yield* withSession("GET", `/notifications?limit=2&cursor=${first.next_cursor}`)
        assert.deepStrictEqual(idsOf(second.data), [oldest])
        const read = yield* withSession("POST", `/notifications/${spoiled}/read`)
        assert.deepInclude(read.data, { ...shown, read: true })
      })
  )

  it.effect.each([`'5'`, `'{"post_id":1}'`, `'null'`])(
    "Where an event's data are %s, events and the history of its post have it without them, and the others",
    (data) =>
      Effect.gen(function* () {
        const { makePost, sql, withKey } = yield* start
        const id = yield* makePost
        const other = yield* makePost
        yield* sql`UPDATE events SET data = ${sql.literal(data)} WHERE post_id = ${id}::uuid`
        const { data: events } = yield* withKey("GET", "/events?type=post.scheduled")
        assert.lengthOf(events, 2)
        assert.strictEqual(events[0].event.data.post_id, other)
        const shown = { type: "post.scheduled.unreadable", data: {} }
        assert.deepInclude(events[1].event, shown)
        const first = yield* withKey("GET", "/events?type=post.scheduled&limit=1")
        const second = yield* withKey("GET", `/events?type=post.scheduled&limit=1&cursor=${first.next_cursor}`)
        assert.deepInclude(second.data[0].event, shown)
        const history = yield* withKey("GET", `/posts/${id}/history`)
        assert.lengthOf(history.data, 1)
        assert.deepInclude(history.data[0].event, shown)
      })
  )

  it.effect(
    "Where a webhook's filter has types that this version does not know, webhooks have it without them, and the others",
    () =>
      Effect.gen(function* () {
        const { sql, withSession } = yield* start
        const create = Effect.map(
          withSession("POST", "/webhooks", { url: "https://hooks.example/a" }),
          (body): string => body.data.id
        )
        const [spoiled, other] = [yield* create, yield* create]
        yield* sql`UPDATE webhooks SET events = '{post.published,post.exploded,NULL}' WHERE id = ${spoiled}::uuid`
        const { data } = yield* withSession("GET", "/webhooks")
        assert.sameMembers(idsOf(data), [spoiled, other])
        const { data: shown } = yield* withSession("GET", `/webhooks/${spoiled}`)
        assert.deepStrictEqual(shown.events, ["post.published"])
      })
  )

  it.effect("Where the log of a delivery is no list, deliveries have it without a log, and the others", () =>
    Effect.gen(function* () {
      const { sql, withSession } = yield* start
      const webhook = (yield* withSession("POST", "/webhooks", { url: "https://hooks.example/a" })).data.id
      const test = Effect.map(withSession("POST", `/webhooks/${webhook}/test`), (body): string => body.data.id)
      const [spoiled, other] = [yield* test, yield* test]
      yield* sql`UPDATE webhook_deliveries SET log = '{"at":1}' WHERE event_id = ${spoiled}::uuid`
      const { data } = yield* withSession("GET", `/webhooks/${webhook}/deliveries`)
      assert.deepStrictEqual(idsOf(data), [other, spoiled])
      assert.deepStrictEqual(data[1].log, [])
    })
  )

  it.effect.each([200, 500])(
    "Where the log of a delivery is no list, a response with %s begins another one",
    (status) =>
      Effect.gen(function* () {
        yield* deleteWebhooks
        const sql = yield* SqlClient.SqlClient
        const { events, webhooks } = yield* Repo
        const workspaceId = yield* makeWorkspace([])
        const { id } = yield* makeWebhook(workspaceId)
        yield* recordEvents(workspaceId, 1)
        yield* events.dispatch(1000)
        const claims = yield* webhooks.claim(someSlots, lease)
        yield* sql`UPDATE webhook_deliveries SET log = '{"at":1}' WHERE webhook_id = ${id}::uuid`
        yield* settleAs(claims, aResult(status))
        const deliveries = yield* webhooks.deliveries(workspaceId, id, { limit: 10, status: null, before: null })
        assert.deepStrictEqual(
          deliveries.map(({ log }) => log.map((attempt) => attempt.status)),
          [[status]]
        )
      })
  )

  it.effect("Where a key's scopes have a NULL, keys have it with the others, and it still works", () =>
    Effect.gen(function* () {
      const { sql, withKey, withSession, workspaceId } = yield* start
      yield* sql`UPDATE api_keys SET scopes = array_append(scopes, NULL) WHERE workspace_id = ${workspaceId}::uuid`
      yield* withKey("GET", "/posts")
      const { data } = yield* withSession("GET", "/keys")
      assert.lengthOf(data, 1)
    })
  )
})
