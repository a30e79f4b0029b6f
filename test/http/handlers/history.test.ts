import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Repo } from "../../../src/repo/Repo.ts"
import { keyHeaders, makeSendAs } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const at = "1970-01-02T00:00:00.000Z"
const draft = { content: "Hello", platforms: ["twitter"] }

interface Entry {
  readonly by: unknown
  readonly event: { readonly type: string; readonly data: object }
}

/** A team with a key that requires approval, and each actor as a history shows it. */
const start = Effect.gen(function* () {
  const server = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const sendAs = makeSendAs(`${server}/v1`)
  const asTeam = sendAs(keyHeaders(team.key))
  const me = (yield* asTeam("GET", "/me")).body.data.caller
  const history = (id: string) =>
    Effect.map(asTeam("GET", `/posts/${id}/history`), ({ body }) =>
      (body.data as ReadonlyArray<Entry>).map(({ by, event }) => [event.type, by] as const).toReversed()
    )
  return {
    ...team,
    asTeam,
    asAgent: sendAs(keyHeaders(agent.key)),
    asPerson: sendAs({ cookie: team.cookie, "sec-fetch-site": "same-origin" }),
    history,
    byTeam: { type: "key", id: me.id, name: me.name },
    byAgent: { type: "key", id: agent.id, name: "A key" },
    byPerson: { type: "user", id: team.user.id, name: team.user.email }
  }
})

layer(databaseServerLayer())("who did what to a post", (it) => {
  it.effect("A post's history names who scheduled, changed, published and deleted it", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, byPerson, byTeam, history } = yield* start
      const { id } = (yield* asTeam("POST", "/posts", { ...draft, schedule_at: at })).body
      yield* asPerson("PATCH", `/posts/${id}`, { content: "Other" })
      yield* asTeam("PATCH", `/posts/${id}`, { status: "draft" })
      yield* asPerson("POST", `/posts/${id}/publish`)
      yield* asTeam("DELETE", `/posts/${id}`)
      assert.deepStrictEqual(yield* history(id), [
        ["post.scheduled", byTeam],
        ["post.scheduled", byPerson],
        ["post.updated", byTeam],
        ["post.scheduled", byPerson],
        ["post.deleted", byTeam]
      ])
    })
  )

  it.effect("A post's history names who deleted it with its group", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, byPerson, history } = yield* start
      const group = "01a1fc17-dc2e-777d-ad63-5a461a1bba46"
      const { id } = (yield* asTeam("POST", "/posts", { ...draft, group_id: group })).body
      yield* asPerson("DELETE", `/posts/group/${group}`)
      assert.deepStrictEqual(yield* history(id), [["post.deleted", byPerson]])
    })
  )

  it.effect("A post's history names who asked for approval, rejected and approved it", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, asTeam, byAgent, byPerson, byTeam, history } = yield* start
      const { id } = (yield* asAgent("POST", "/posts", { ...draft, schedule_at: at })).body
      yield* asTeam("POST", `/posts/${id}/reject`, { revision: 1, reason: "No" })
      const changes = { content: "Other", status: "scheduled" }
      yield* asAgent("PATCH", `/posts/${id}`, changes, { "if-match": '"1"' })
      yield* asPerson("POST", `/posts/${id}/approve`, { revision: 2 })
      const entries = yield* history(id)
      const byType = entries.toSorted(([left], [right]) => left.localeCompare(right))
      assert.deepStrictEqual(byType, [
        ["post.approval_requested", byAgent],
        ["post.approval_requested", byAgent],
        ["post.approved", byPerson],
        ["post.rejected", byTeam],
        ["post.scheduled", byPerson],
        ["post.updated", byAgent]
      ])
    })
  )

  it.effect("A post's history names who resolved an unknown outcome, but nobody for what follows from it", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, byPerson, byTeam, history } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { id } = (yield* asTeam("POST", "/posts", { ...draft, schedule_at: at })).body
      yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, attempts = 4,
        error_code = 'outcome_unknown', error_message = 'Check the account', error_retryable = false
        WHERE post_id = ${id}::uuid`
      yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
      yield* asPerson("POST", `/posts/${id}/targets/twitter/resolve`, { outcome: "published" })
      assert.deepStrictEqual(yield* history(id), [
        ["post.scheduled", byTeam],
        ["post.target.published", byPerson],
        ["post.published", null]
      ])
    })
  )

  it.effect("Events that are listed or sent to webhooks don't show who caused them", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, user } = yield* start
      const { events } = yield* Repo
      const { id } = (yield* asPerson("POST", "/posts", { ...draft, schedule_at: at })).body
      yield* events.dispatch(1000)
      const { body, text } = yield* asTeam("GET", `/events?post_id=${id}`)
      assert.hasAllKeys(body.data[0], ["id", "position", "event"])
      assert.hasAllKeys(body.data[0].event, ["type", "timestamp", "data"])
      assert.notInclude(text, user.id)
      assert.notInclude(text, user.email)
    })
  )
})
