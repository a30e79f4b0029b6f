import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { mailTypes } from "../../../src/domain/plain/mail.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { errorPaths, keyHeaders, send, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
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
      assert.include((yield* send(link)).text, "once a day in a summary")
      assert.include((yield* send(link, { method: "POST" })).text, "Once a day from now on")
      assert.strictEqual((yield* choices).modes["post.failed"], "digest")
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
