import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Repo } from "../../../src/repo/Repo.ts"
import { keyHeaders, makeSendAs, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const at = "1970-01-02T00:00:00.000Z"

interface Entry {
  readonly details: unknown
  readonly event: { readonly type: string; readonly data: { readonly revision?: number } }
}

const start = Effect.gen(function* () {
  const server = yield* ServerUrl
  const team = yield* makeTeam
  const agent = yield* makeKey(team.workspaceId, { requiresApproval: true })
  const colleague = yield* makeMember(team.workspaceId, "editor")
  const sendAs = makeSendAs(`${server}/v1/posts`)
  const asTeam = sendAs(keyHeaders(team.key))
  const entries = (id: string) =>
    Effect.map(asTeam("GET", `/${id}/history`), ({ body }) => (body.data as ReadonlyArray<Entry>).toReversed())
  return {
    ...team,
    server,
    asTeam,
    asAgent: sendAs(keyHeaders(agent.key)),
    asPerson: sendAs(sessionHeaders(team.cookie)),
    asColleague: sendAs(sessionHeaders(yield* makeSession(colleague.id, team.workspaceId))),
    entries,
    details: (id: string) => Effect.map(entries(id), (all) => all.map(({ details }) => details))
  }
})

const draft = { content: "Hello", platforms: ["twitter"] }

layer(databaseServerLayer())("what a post's history tells of its events", (it) => {
  it.effect("A change says which members it was about", () =>
    Effect.gen(function* () {
      const { asTeam, details } = yield* start
      const { id } = (yield* asTeam("POST", "", draft)).body
      for (const change of [
        { tags: ["a"] },
        { platforms: ["twitter", "bluesky"], platform_settings: { twitter: { who_can_reply: "following" } } },
        { scheduled_at: at, status: "scheduled" },
        { content: "Other", platform_overrides: { bluesky: "There" } },
        { content: "Other" }
      ]) {
        const { body, status } = yield* asTeam("PATCH", `/${id}`, change)
        assert.strictEqual(status, 200, JSON.stringify(body))
      }
      assert.deepStrictEqual(yield* details(id), [
        { changed: ["tags"] },
        { changed: ["platform_settings", "platforms"] },
        { changed: ["scheduled_at", "status"] },
        { changed: ["content", "platform_overrides"] }
      ])
    })
  )

  it.effect("A person's change keeps the text that somebody else wrote, and not their own", () =>
    Effect.gen(function* () {
      const { asColleague, asPerson, asTeam, details } = yield* start
      const { id } = (yield* asTeam("POST", "", { ...draft, platform_overrides: { twitter: "Here" } })).body
      yield* asPerson("PATCH", `/${id}`, { content: "By a person" })
      yield* asPerson("PATCH", `/${id}`, { tags: ["a"] })
      yield* asPerson("PATCH", `/${id}`, { content: "By the same" })
      yield* asColleague("PATCH", `/${id}`, { content: "By a colleague", platform_overrides: { twitter: "There" } })
      yield* asTeam("PATCH", `/${id}`, { content: "By a key" })
      yield* asColleague("PATCH", `/${id}`, { content: "By the colleague again" })
      assert.deepStrictEqual(yield* details(id), [
        { changed: ["content"], before: { content: "Hello" } },
        { changed: ["tags"] },
        { changed: ["content"] },
        {
          changed: ["content", "platform_overrides"],
          before: { content: "By the same", platform_overrides: { twitter: "Here" } }
        },
        { changed: ["content"] },
        { changed: ["content"], before: { content: "By a key" } }
      ])
    })
  )

  it.effect("A person who made a post leaves no text of theirs in its history", () =>
    Effect.gen(function* () {
      const { asColleague, asPerson, details } = yield* start
      const { id } = (yield* asPerson("POST", "", draft)).body
      yield* asPerson("PATCH", `/${id}`, { content: "Other" })
      yield* asColleague("PATCH", `/${id}`, { content: "Another" })
      yield* asPerson("PATCH", `/${id}`, { content: "Once more" })
      assert.deepStrictEqual(yield* details(id), [
        { changed: ["content"] },
        { changed: ["content"], before: { content: "Other" } },
        { changed: ["content"], before: { content: "Another" } }
      ])
    })
  )

  it.effect("Of a long text 3,000 characters are kept, and no half of one", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, details } = yield* start
      const { id } = (yield* asTeam("POST", "", { ...draft, content: `a${"👍".repeat(2000)}` })).body
      yield* asPerson("PATCH", `/${id}`, { content: "b".repeat(3000) })
      yield* asTeam("PATCH", `/${id}`, { tags: ["a"] })
      assert.deepStrictEqual(yield* details(id), [
        { changed: ["content"], before: { content: `a${"👍".repeat(1499)}…` } },
        { changed: ["tags"] }
      ])
    })
  )

  it.effect("Each rejection keeps its reason, also after the next request", () =>
    Effect.gen(function* () {
      const { asAgent, asPerson, entries } = yield* start
      const { id } = (yield* asAgent("POST", "", { ...draft, schedule_at: at })).body
      yield* asPerson("POST", `/${id}/reject`, { revision: 1, reason: "Too early" })
      const again = { content: "Later", status: "scheduled", scheduled_at: at }
      yield* asAgent("PATCH", `/${id}`, again, { "if-match": '"1"' })
      yield* asPerson("POST", `/${id}/reject`, { revision: 2, reason: "Too late" })
      yield* asAgent("PATCH", `/${id}`, { ...again, content: "Last" }, { "if-match": '"2"' })
      yield* asPerson("POST", `/${id}/approve`, { revision: 3 })
      const decisions = (yield* entries(id)).filter(({ event }) => /approved|rejected/.test(event.type))
      assert.deepStrictEqual(
        decisions.map(({ details }) => details),
        [{ reason: "Too early" }, { reason: "Too late" }, null]
      )
    })
  )

  it.effect("A resolved target names its account as it was", () =>
    Effect.gen(function* () {
      const { asPerson, asTeam, entries, workspaceId } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { id } = (yield* asTeam("POST", "", { ...draft, schedule_at: at })).body
      yield* sql`UPDATE post_targets SET status = 'failed', due_at = NULL, due_since = NULL, attempts = 4,
        error_code = 'outcome_unknown', error_message = 'Check the account', error_retryable = false
        WHERE post_id = ${id}::uuid`
      yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
      yield* asPerson("POST", `/${id}/targets/twitter/resolve`, { outcome: "published" })
      yield* sql`UPDATE integrations SET username = 'renamed' WHERE workspace_id = ${workspaceId}::uuid`
      const resolved = (yield* entries(id)).find(({ event }) => event.type === "post.target.published")
      assert.deepStrictEqual(resolved?.details, { account: "team_twitter" })
    })
  )

  it.effect("Of a deleted post nobody reads what it said or why it was rejected, but what was changed", () =>
    Effect.gen(function* () {
      const { asAgent, asColleague, asPerson, asTeam, details } = yield* start
      const { id } = (yield* asAgent("POST", "", { ...draft, content: "A secret", schedule_at: at })).body
      yield* asPerson("POST", `/${id}/reject`, { revision: 1, reason: "It names a secret" })
      yield* asColleague("PATCH", `/${id}`, { content: "Other" })
      const before = JSON.stringify(yield* details(id))
      assert.include(before, "A secret")
      assert.include(before, "It names a secret")
      assert.strictEqual((yield* asTeam("DELETE", `/${id}`)).status, 200)
      const after = yield* details(id)
      assert.notInclude(JSON.stringify(after), "secret")
      assert.deepInclude(after, { changed: ["content"] })
    })
  )

  it.effect("A request that goes on for another account is told, with the account", () =>
    Effect.gen(function* () {
      const { asAgent, asTeam, entries, workspaceId } = yield* start
      const { integrations } = yield* Repo
      const asked = (yield* asAgent("POST", "", { ...draft, schedule_at: at })).body
      const plain = (yield* asTeam("POST", "", draft)).body
      const other = {
        platform: "twitter",
        accountId: "other",
        username: "other",
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: Redacted.make("secret")
      } as const
      yield* TestClock.adjust("1 hour")
      yield* integrations.replaceAccount(workspaceId, other, { posts: "replace" })
      const last = (yield* entries(asked.id)).at(-1)
      if (last === undefined) return assert.fail()
      assert.strictEqual(last.event.type, "post.updated")
      assert.strictEqual(last.event.data.revision, 2)
      assert.deepStrictEqual(last.details, {
        changed: ["account"],
        account: "other",
        platform: "twitter",
        approval_renewed: true
      })
      assert.deepStrictEqual(yield* entries(plain.id), [])
    })
  )

  it.effect("Webhooks and the list of events are told nothing of the details", () =>
    Effect.gen(function* () {
      const { asColleague, asTeam, key, server } = yield* start
      const { events } = yield* Repo
      const { id } = (yield* asTeam("POST", "", { ...draft, content: "A secret", schedule_at: at })).body
      yield* asColleague("PATCH", `/${id}`, { content: "Other" })
      yield* events.dispatch(1000)
      const { body, text } = yield* sendJson(`${server}/v1/events?post_id=${id}`, "GET", keyHeaders(key))
      assert.lengthOf(body.data, 2)
      assert.notInclude(text, "secret")
      assert.notInclude(text, "details")
    })
  )

  it.effect("Details of a later version that can't be read are none, and the history is listed", () =>
    Effect.gen(function* () {
      const { asTeam, details } = yield* start
      const sql = yield* SqlClient.SqlClient
      const { id } = (yield* asTeam("POST", "", draft)).body
      yield* asTeam("PATCH", `/${id}`, { tags: ["a"] })
      yield* sql`UPDATE events SET details = '{"changed": 1}' WHERE post_id = ${id}::uuid`
      yield* asTeam("PATCH", `/${id}`, { tags: ["b"] })
      assert.deepStrictEqual(yield* details(id), [null, { changed: ["tags"] }])
    })
  )
})
