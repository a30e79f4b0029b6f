import { assert, layer } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mailTypes } from "../../../src/domain/plain/mail.ts"
import { SendsMail } from "../../../src/repo/notifications/SendsMail.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { errorPaths, keyHeaders, send, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { failPosts, forgetDeliveries } from "../../mail/world.ts"
import { databaseServerLayer, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const read = Effect.fnUntraced(function* (cookie: string) {
  const { body } = yield* sendJson(`${yield* ServerUrl}/v1/session/mail`, "GET", { cookie })
  return body.data
})

const change = Effect.fnUntraced(function* (cookie: string, changes: unknown) {
  return yield* sendJson(`${yield* ServerUrl}/v1/session/mail`, "PATCH", sessionHeaders(cookie), changes)
})

/** The admin's session, and a function for another member with a session. */
const start = Effect.gen(function* () {
  const team = yield* makeTeam
  const join = Effect.fnUntraced(function* (role: "viewer" | "editor" | "admin") {
    const { id } = yield* makeMember(team.workspaceId, role)
    return { id, cookie: yield* makeSession(id, team.workspaceId) }
  })
  return { ...team, join }
})

layer(databaseServerLayer())("choices of mail", (it) => {
  it.effect("An admin begins with the defaults, in UTC without a queue", () =>
    Effect.gen(function* () {
      const { cookie } = yield* start
      const { modes, ...others } = yield* read(cookie)
      assert.deepStrictEqual(others, { enabled: false, muted_until: null, digest_hour: 8, time_zone: "UTC" })
      assert.sameMembers(Object.keys(modes), [...mailTypes])
      assert.deepInclude(modes, { "post.failed": "now", "post.published": "off", "post.unconfirmed": "off" })
    })
  )

  it.effect("A change keeps the other choices, and each person chooses for themself", () =>
    Effect.gen(function* () {
      const { cookie, join } = yield* start
      const editor = yield* join("editor")
      const until = DateTime.formatIso(DateTime.addDuration(yield* DateTime.now, "7 days"))
      const { body } = yield* change(editor.cookie, {
        modes: { "post.published": "digest", "post.failed": "off" },
        digest_hour: 17,
        muted_until: until
      })
      assert.deepInclude(body.data, { digest_hour: 17, muted_until: until })
      assert.deepInclude(body.data.modes, {
        "post.published": "digest",
        "post.failed": "off",
        "post.approval_requested": "now"
      })
      yield* change(editor.cookie, { modes: null, digest_hour: null })
      assert.deepStrictEqual(yield* read(editor.cookie), body.data)
      const ended = yield* change(editor.cookie, { muted_until: null })
      assert.deepInclude(ended.body.data, { muted_until: null, digest_hour: 17 })
      assert.deepInclude((yield* read(cookie)).modes, { "post.published": "off" })
    })
  )

  it.effect(
    "The last admin can move failures to the summary, but not turn them off, until another admin gets them",
    () =>
      Effect.gen(function* () {
        const { cookie, join } = yield* start
        yield* join("editor")
        const refused = yield* change(cookie, { modes: { "post.failed": "off" } })
        assert.strictEqual(refused.status, 400)
        assert.strictEqual(refused.body.code, "invalid_state")
        assert.include(refused.body.detail, "No other admin gets mail about posts that failed")
        assert.strictEqual((yield* change(cookie, { modes: { "post.failed": "digest" } })).status, 200)
        const second = yield* join("admin")
        assert.strictEqual((yield* change(cookie, { modes: { "post.failed": "off" } })).status, 200)
        assert.strictEqual((yield* change(second.cookie, { modes: { "post.failed": "off" } })).status, 400)
      })
  )

  it.effect("Two admins who turn off failures at the same moment do not both succeed", () =>
    Effect.gen(function* () {
      const { cookie, join } = yield* start
      const second = yield* join("admin")
      const statuses = yield* Effect.forEach(
        [cookie, second.cookie],
        (each) => Effect.map(change(each, { modes: { "post.failed": "off" } }), ({ status }) => status),
        { concurrency: 2 }
      )
      assert.sameMembers(statuses, [200, 400])
    })
  )

  it.effect("A role chooses only what it can act on", () =>
    Effect.gen(function* () {
      const { join } = yield* start
      const viewer = yield* join("viewer")
      assert.notProperty((yield* read(viewer.cookie)).modes, "post.approval_requested")
      const refused = yield* change(viewer.cookie, { modes: { "post.approval_requested": "now" } })
      assert.strictEqual(refused.status, 400)
      assert.include(refused.body.detail, "With the role viewer you get no mail about posts that wait for approval")
    })
  )

  it.effect("Every wrong member is named, and a key chooses nothing", () =>
    Effect.gen(function* () {
      const { cookie, key } = yield* start
      const wrong = yield* change(cookie, { modes: { "post.failed": "later" }, digest_hour: 24, colour: "red" })
      assert.strictEqual(wrong.status, 400)
      assert.sameDeepMembers(errorPaths(wrong.body), [["modes", "post.failed"], ["digest_hour"], ["colour"]])
      for (const until of ["1969-12-31T00:00:00Z", "1970-04-02T00:00:00Z"]) {
        const refused = yield* change(cookie, { muted_until: until })
        assert.deepStrictEqual([refused.status, errorPaths(refused.body)], [400, [["muted_until"]]])
      }
      const asKey = yield* sendJson(`${yield* ServerUrl}/v1/session/mail`, "GET", keyHeaders(key))
      assert.strictEqual(asKey.status, 403)
    })
  )
})

layer(databaseServerLayer())("the link that turns off mail", (it) => {
  const linkFor = Effect.fnUntraced(function* (
    workspaceId: Parameters<typeof makeMember>[0],
    type: string,
    role: "admin" | "editor" = "editor"
  ) {
    const { id } = yield* makeMember(workspaceId, role)
    const { mailPreferences } = yield* Repo
    const token = yield* mailPreferences.tokenFor({ workspaceId, userId: id, type })
    return {
      id,
      link: `${yield* ServerUrl}/mail/off?token=${token}`,
      choices: mailPreferences.get({ workspaceId, userId: id })
    }
  })

  it.effect(
    "Opening it changes nothing, and its button turns off this type alone, for this person, without log-in",
    () =>
      Effect.gen(function* () {
        const { workspaceId } = yield* start
        const other = yield* linkFor(workspaceId, "post.failed")
        const { choices, link } = yield* linkFor(workspaceId, "post.failed")
        const shown = yield* send(link)
        assert.deepStrictEqual([shown.status, shown.headers.get("content-type")], [200, "text/html; charset=utf-8"])
        assert.include(shown.text, "Turn off mail about posts that failed?")
        assert.include(shown.text, "Other mail still comes, and notifications stay in the dashboard.")
        assert.include(shown.text, "You can turn it on again in")
        assert.strictEqual((yield* choices).modes["post.failed"], "now")
        // As mail programs do it.
        const done = yield* send(link, {
          method: "POST",
          body: new URLSearchParams({ "List-Unsubscribe": "One-Click" })
        })
        assert.strictEqual(done.status, 200)
        assert.deepInclude((yield* choices).modes, { "post.failed": "off", "integration.disconnected": "now" })
        assert.strictEqual((yield* other.choices).modes["post.failed"], "now")
      })
  )

  it.effect("The last admin's failures move to the summary", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* Repo
      const { id: workspaceId } = yield* workspaces.create("A team")
      const { choices, link } = yield* linkFor(workspaceId, "post.failed", "admin")
      const asked = yield* send(link)
      assert.include(asked.text, "once a day in the daily summary instead, because no other admin")
      assert.include(asked.text, ">Get it once a day</button>")
      const done = yield* send(link, { method: "POST" })
      assert.include(done.text, "Once a day from now on")
      assert.include(done.text, "Mail about posts that failed of <strong>A team</strong> comes once a day")
      assert.strictEqual((yield* choices).modes["post.failed"], "digest")
    })
  )

  it.effect("The last admin's summary keeps only what somebody has to get, and its page says what", () =>
    Effect.gen(function* () {
      const { workspaces } = yield* Repo
      const { id: workspaceId } = yield* workspaces.create("A team")
      const { choices, id, link } = yield* linkFor(workspaceId, "digest", "admin")
      const cookie = yield* makeSession(id, workspaceId)
      yield* change(cookie, {
        modes: { "integration.disconnected": "digest", "post.published": "digest", "webhook.disabled": "digest" }
      })
      const asked = yield* send(link)
      assert.include(asked.text, "Mail about webhooks that were disabled and posts that were published stops.")
      assert.include(asked.text, "The summary still comes with accounts to connect again, because no other admin")
      const done = yield* send(link, { method: "POST" })
      assert.include(done.text, "Mail about accounts to connect again of <strong>A team</strong> comes once a day")
      assert.include(done.text, "Everything else in the summary is turned off.")
      assert.deepInclude((yield* choices).modes, {
        "integration.disconnected": "digest",
        "post.published": "off",
        "post.failed": "now"
      })
    })
  )

  it.effect("Once the summary is off, its link says so without a button", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { id, link } = yield* linkFor(workspaceId, "digest")
      yield* change(yield* makeSession(id, workspaceId), { modes: { "post.published": "digest" } })
      assert.include((yield* send(link)).text, "Mail about posts that were published stops.")
      assert.include((yield* send(link, { method: "POST" })).text, "You get no daily summary of <strong>")
      const again = yield* send(link)
      assert.include(again.text, "Turned off")
      assert.notInclude(again.text, "<button")
    })
  )

  it.effect("The summary is turned off with all that it collects", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { choices, id, link } = yield* linkFor(workspaceId, "digest")
      const cookie = yield* makeSession(id, workspaceId)
      yield* change(cookie, { modes: { "post.published": "digest", "post.failed": "digest" } })
      yield* send(link, { method: "POST" })
      assert.deepInclude((yield* choices).modes, {
        "post.published": "off",
        "post.failed": "off",
        "post.draft_overdue": "now"
      })
    })
  )

  it.effect.each(["", "?token=", "?token=abc", `?token=${"A".repeat(5000)}`, "?token=%FF", "?token=a&token=b"])(
    "A link that the service did not make changes nothing: %s",
    (query) =>
      Effect.gen(function* () {
        const url = `${yield* ServerUrl}/mail/off${query}`
        assert.strictEqual((yield* send(url)).status, 404)
        assert.strictEqual((yield* send(url, { method: "POST" })).status, 404)
      })
  )

  it.effect("The link of a person who was removed does nothing, and a changed link neither", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* start
      const { choices, id, link } = yield* linkFor(workspaceId, "post.failed")
      const changed = link
        .replace(/.$/, (last) => (last === "A" ? "B" : "A"))
        .replace(/token=.{30}/, (text) => `${text.slice(0, -1)}-`)
      assert.strictEqual((yield* send(changed, { method: "POST" })).status, 404)
      assert.strictEqual((yield* choices).modes["post.failed"], "now")
      const { members } = yield* Repo
      yield* members.remove({ workspaceId, userId: id })
      assert.strictEqual((yield* send(link)).status, 404)
      assert.strictEqual((yield* send(link, { method: "POST" })).status, 404)
    })
  )
})

layer(Layer.provide(databaseServerLayer(), Layer.succeed(SendsMail, true)))("the log of mail", (it) => {
  /** A workspace with a message about two failures. */
  const startLog = Effect.gen(function* () {
    const team = yield* start
    const sql = yield* SqlClient.SqlClient
    const { deliveries } = yield* Repo
    yield* forgetDeliveries
    yield* failPosts(team.workspaceId, 2)
    yield* deliveries.dispatch(500)
    const url = `${yield* ServerUrl}/v1/mail/deliveries`
    const list = (query = "") =>
      Effect.map(sendJson(`${url}${query}`, "GET", { cookie: team.cookie }), ({ body }) => body)
    const resend = (id: string) => sendJson(`${url}/${id}/resend`, "POST", sessionHeaders(team.cookie))
    return { ...team, sql, deliveries, list, resend }
  })

  it.effect("An admin sees what waits, what was sent and why something was not", () =>
    Effect.gen(function* () {
      const { deliveries, list, user } = yield* startLog
      const [waiting, ...others] = (yield* list()).data
      assert.lengthOf(others, 0)
      assert.deepInclude(waiting, {
        user_id: user.id,
        email: user.email,
        type: "post.failed",
        count: 2,
        status: "pending"
      })
      assert.isString(waiting.next_attempt_at)
      yield* TestClock.adjust("10 seconds")
      const [claim] = yield* deliveries.claimMail(1, Duration.seconds(60))
      if (claim === undefined) return assert.fail("Nothing was claimed")
      yield* deliveries.settleMail(claim, { status: "failed", nextAt: null, error: "The mail server answered: 550 No" })
      const [failed] = (yield* list("?status=failed")).data
      assert.deepInclude(failed, {
        id: claim.id,
        attempts: 1,
        error: "The mail server answered: 550 No",
        next_attempt_at: null
      })
      assert.isString(failed.ended_at)
      assert.deepStrictEqual((yield* list("?status=sent")).data, [])
    })
  )

  it.effect("A removed member's messages leave the log and are not sent; the others' and the notifications stay", () =>
    Effect.gen(function* () {
      const { cookie, deliveries, list, join, workspaceId } = yield* startLog
      const { id: userId } = yield* join("editor")
      yield* failPosts(workspaceId, 1)
      yield* deliveries.dispatch(500)
      const readers = Effect.map(list(), ({ data }) =>
        data.map(({ user_id: id }: { readonly user_id: string }) => id === userId)
      )
      assert.sameMembers(yield* readers, [true, false])
      const url = yield* ServerUrl
      const removed = yield* sendJson(`${url}/v1/members/${userId}`, "DELETE", sessionHeaders(cookie))
      assert.strictEqual(removed.status, 200)
      assert.deepStrictEqual(yield* readers, [false])
      yield* TestClock.adjust("10 seconds")
      const claims = yield* deliveries.claimMail(10, Duration.seconds(60))
      assert.notInclude(
        claims.map((claim) => claim.userId),
        userId
      )
      const kept = yield* sendJson(`${url}/v1/notifications`, "GET", { cookie })
      assert.isAtLeast(kept.body.data.length, 2)
    })
  )

  it.effect("A message is sent again as a new one, once it has ended", () =>
    Effect.gen(function* () {
      const { deliveries, list, resend, sql, workspaceId } = yield* startLog
      const [{ id }] = (yield* list()).data
      const early = yield* resend(id)
      assert.deepStrictEqual([early.status, early.body.code], [400, "invalid_state"])
      yield* sql`UPDATE notification_deliveries SET status = 'failed', next_at = NULL, ended_at = now(), attempts = 6
        WHERE workspace_id = ${workspaceId}::uuid`
      const again = yield* resend(id)
      assert.strictEqual(again.status, 202)
      assert.deepInclude(again.body.data, { status: "pending", attempts: 0, count: 2, error: null })
      assert.notStrictEqual(again.body.data.id, id)
      assert.deepStrictEqual(
        (yield* list()).data.map((each: { readonly id: string }) => each.id),
        [again.body.data.id, id]
      )
      const [claim] = yield* deliveries.claimMail(4, Duration.seconds(60))
      assert.deepInclude(claim, { id: again.body.data.id, count: 2, missing: 0 })
    })
  )

  it.effect("A message that many send again at once is sent again once", () =>
    Effect.gen(function* () {
      const { list, resend, sql, workspaceId } = yield* startLog
      const [{ id }] = (yield* list()).data
      yield* sql`UPDATE notification_deliveries SET status = 'failed', next_at = NULL, ended_at = now(), attempts = 6
        WHERE workspace_id = ${workspaceId}::uuid`
      const answers = yield* Effect.all(
        Array.from({ length: 6 }, () => resend(id)),
        { concurrency: "unbounded" }
      )
      assert.sameMembers(
        answers.map(({ status }) => status),
        [202, 400, 400, 400, 400, 400]
      )
      assert.lengthOf((yield* list()).data, 2)
    })
  )

  it.effect("Pages go by cursor, and other workspaces' messages are unknown", () =>
    Effect.gen(function* () {
      const { list, sql, workspaceId } = yield* startLog
      yield* sql`INSERT INTO notification_deliveries (id, workspace_id, kind, user_id, type, notification_ids, count, status, due_at, created_at, ended_at)
        SELECT gen_random_uuid(), workspace_id, kind, user_id, type, notification_ids, count, 'sent', due_at, created_at, now()
        FROM notification_deliveries, generate_series(1, 4) WHERE workspace_id = ${workspaceId}::uuid`
      const seen: Array<string> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const page: { data: ReadonlyArray<{ id: string }>; next_cursor: string | null } = yield* list(
          `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`
        )
        seen.push(...page.data.map(({ id }) => id))
        cursor = page.next_cursor
      }
      assert.strictEqual(new Set(seen).size, 5)
      const other = yield* startLog
      assert.strictEqual((yield* other.resend(seen[0] ?? "")).status, 404)
    })
  )

  /** An admin whose summary waits for eight o'clock, and the time of its message. */
  const startDigest = Effect.gen(function* () {
    const log = yield* startLog
    yield* log.sql`DELETE FROM notification_deliveries WHERE workspace_id = ${log.workspaceId}::uuid`
    yield* change(log.cookie, { modes: { "post.failed": "digest", "post.published": "digest" } })
    yield* failPosts(log.workspaceId, 1)
    yield* log.deliveries.dispatch(500)
    const due = Effect.map(log.list(), ({ data }): string => data[0].next_attempt_at)
    return { ...log, due, now: yield* DateTime.now }
  })

  /** The next time at which UTC's clocks show the hour. */
  const nextUtc = (now: DateTime.Utc, hour: number) => {
    const today = DateTime.setPartsUtc(DateTime.startOf(now, "day"), { hour })
    return DateTime.formatIso(DateTime.isGreaterThan(today, now) ? today : DateTime.add(today, { days: 1 }))
  }

  it.effect("A summary that waits follows its reader's new hour, and the new zone of the workspace", () =>
    Effect.gen(function* () {
      const { cookie, due, list, now } = yield* startDigest
      assert.strictEqual(yield* due, nextUtc(now, 8))
      yield* change(cookie, { digest_hour: 17 })
      assert.strictEqual(yield* due, nextUtc(now, 17))
      const queue = { time_zone: "Asia/Tokyo", entries: [] }
      const replaced = yield* sendJson(`${yield* ServerUrl}/v1/queue`, "PUT", sessionHeaders(cookie), queue)
      assert.strictEqual(replaced.status, 200)
      assert.strictEqual(yield* due, nextUtc(now, 8))
      assert.lengthOf((yield* list()).data, 1)
    })
  )

  it.effect("A summary is sent immediately once its reader wants a type in it immediately", () =>
    Effect.gen(function* () {
      const { cookie, deliveries, due, now } = yield* startDigest
      yield* change(cookie, { modes: { "post.published": "now" } })
      assert.strictEqual(yield* due, nextUtc(now, 8))
      yield* change(cookie, { modes: { "post.failed": "now" } })
      const [claim] = yield* deliveries.claimMail(4, Duration.seconds(60))
      assert.deepInclude(claim, { type: "digest", count: 1 })
    })
  )

  it.effect("A summary that was claimed keeps its time, and other people's summaries keep theirs", () =>
    Effect.gen(function* () {
      const { cookie, due, join, now, sql, workspaceId } = yield* startDigest
      const other = yield* join("admin")
      yield* change(other.cookie, { digest_hour: 3, modes: { "post.failed": "now" } })
      assert.strictEqual(yield* due, nextUtc(now, 8))
      yield* sql`UPDATE notification_deliveries SET sealed = true WHERE workspace_id = ${workspaceId}::uuid`
      yield* change(cookie, { digest_hour: 17, modes: { "post.failed": "now" } })
      assert.strictEqual(yield* due, nextUtc(now, 8))
    })
  )
})
