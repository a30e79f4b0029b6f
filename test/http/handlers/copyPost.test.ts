import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { maxGroupPosts } from "../../../src/domain/posts/postSize.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { errorPaths, keyHeaders, makeSendAs } from "../../support/http/client.ts"
import { baseUrl, ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const platforms = ["twitter", "bluesky"]
const group = "01a1fc17-dc2e-777d-ad63-5a461a1bba47"
const unknown = "01a1fc17-dc2e-777d-ad63-5a461a1bba48"

/** A team, and its requests. */
const start = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const sendAs = makeSendAs(`${url}/v1/posts`)
  const send = sendAs(keyHeaders(team.key))
  const read = (id: string) => Effect.map(send("GET", `/${id}`), ({ body }) => body.data)
  const create = (more: object = {}) =>
    Effect.map(send("POST", "", { content: "Hello", platforms, ...more }), ({ body }): string => body.id)
  /** A post that failed on these platforms and was certainly not sent there. */
  const fail = Effect.fnUntraced(function* (failed: ReadonlyArray<string> = ["twitter"], more: object = {}) {
    const id = yield* create({ schedule_at: "1970-01-01T00:00:00Z", ...more })
    yield* sql`UPDATE post_targets SET due_at = NULL, due_since = NULL, attempts = 1,
      status = CASE WHEN platform = ANY(${failed}::text[]) THEN 'failed' ELSE 'published' END,
      published_at = CASE WHEN platform <> ALL(${failed}::text[]) THEN to_timestamp(0) END,
      error_code = CASE WHEN platform = ANY(${failed}::text[]) THEN 'rejected' END,
      error_message = CASE WHEN platform = ANY(${failed}::text[]) THEN 'Refused' END,
      error_retryable = CASE WHEN platform = ANY(${failed}::text[]) THEN false END
      WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE posts SET status = 'failed' WHERE id = ${id}::uuid`
    return id
  })
  const copy = (id: string, body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    send("POST", `/${id}/copy`, body, headers)
  /** The id of the copy that took over each target. */
  const copies = (id: string) =>
    Effect.map(read(id), (post): ReadonlyArray<string | null> =>
      post.post_targets.map(({ copied_to }: { readonly copied_to: string | null }) => copied_to)
    )
  return { ...team, sql, sendAs, send, read, create, fail, copy, copies }
})

layer(databaseServerLayer())("copying a post", (it) => {
  it.effect("A copy is a draft of the caller's with all that a post says, without its time and its past", () =>
    Effect.gen(function* () {
      const { cookie, copies, create, read, send, sendAs, user, workspaceId } = yield* start
      const file = yield* storeFile(workspaceId, { alt: "A cat" })
      const id = yield* create({
        schedule_at: "1970-01-05T00:00:00Z",
        tags: ["a"],
        platform_overrides: { bluesky: "Hello there", threads: "Unused" },
        platform_settings: { twitter: { who_can_reply: "following" } },
        media: [{ id: file.id, alt: "Ours" }],
        group_id: group
      })
      const original = yield* read(id)
      const asPerson = sendAs({ cookie, "sec-fetch-site": "same-origin" })
      const copied = yield* asPerson("POST", `/${id}/copy`, {})
      assert.strictEqual(copied.status, 201)
      const { data, warnings } = copied.body
      assert.deepStrictEqual(warnings, [])
      assert.deepStrictEqual(data, {
        ...original,
        id: data.id,
        status: "draft",
        scheduled_at: null,
        copied_from: id,
        created_by: { type: "user", id: user.id, name: user.email },
        created_at: data.created_at
      })
      assert.notStrictEqual(data.id, id)
      assert.strictEqual(copied.headers.get("location"), `${baseUrl}/v1/posts/${data.id}`)
      assert.strictEqual(copied.headers.get("etag"), '"1-draft"')
      assert.deepStrictEqual(yield* read(data.id), data)
      assert.deepStrictEqual(yield* read(id), original)
      assert.deepStrictEqual(yield* copies(id), [null, null])
      const history = yield* send("GET", `/${data.id}/history`)
      assert.deepStrictEqual(history.body.data, [])
      // The copy still names its original.
      assert.strictEqual((yield* send("DELETE", `/${id}`)).status, 200)
      assert.strictEqual((yield* read(data.id)).copied_from, id)
    })
  )

  it.effect("A post in any status is copied, for all of its platforms or for those that are named", () =>
    Effect.gen(function* () {
      const { copy, create, fail, read, send, sql } = yield* start
      const published = yield* create({ schedule_at: "1970-01-01T00:00:00Z" })
      yield* sql`UPDATE post_targets SET status = 'published', published_at = now(), due_at = NULL, due_since = NULL
        WHERE post_id = ${published}::uuid`
      yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE id = ${published}::uuid`
      const publishing = yield* create({ schedule_at: "1970-01-01T00:00:00Z" })
      yield* sql`UPDATE posts SET status = 'publishing' WHERE id = ${publishing}::uuid`
      for (const id of [yield* create(), published, publishing, yield* fail(), yield* fail(platforms)]) {
        const { body, status } = yield* copy(id, { what: "all", platforms: ["bluesky"] })
        assert.strictEqual(status, 201)
        assert.deepInclude(body.data.post_targets, {
          status: "pending",
          platform_post_url: null,
          parts: null,
          published_at: null,
          error: null,
          account_id: "account-bluesky",
          copied_to: null,
          integrations: { platform: "bluesky" }
        })
        assert.lengthOf(body.data.post_targets, 1)
        assert.strictEqual((yield* send("POST", `/${body.data.id}/publish`)).status, 202)
      }
      assert.strictEqual((yield* read(published)).status, "published")
    })
  )

  it.effect("What is missing is copied once: neither a second copy nor the post itself goes out there", () =>
    Effect.gen(function* () {
      const { copies, copy, fail, read, send } = yield* start
      const id = yield* fail()
      const before = yield* read(id)
      const first = yield* copy(id, { what: "missing" })
      assert.strictEqual(first.status, 201)
      const copyId: string = first.body.data.id
      assert.deepStrictEqual(
        first.body.data.post_targets.map((target: { integrations: object }) => target.integrations),
        [{ platform: "twitter" }]
      )
      assert.deepStrictEqual(yield* copies(id), [copyId, null])
      assert.strictEqual((yield* read(id)).revision, before.revision)
      for (const refused of [
        yield* copy(id, { what: "missing" }),
        yield* copy(id, { what: "missing", platforms: ["twitter"] }),
        yield* send("POST", `/${id}/publish`)
      ]) {
        assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_state"])
      }
      // A plain copy is a separate post, so both posts can be copied despite the same text.
      assert.strictEqual((yield* copy(id)).status, 201)
      assert.strictEqual((yield* copy(copyId)).status, 201)
    })
  )

  it.effect("A copy that is deleted before anything of it was sent gives back what it had taken over", () =>
    Effect.gen(function* () {
      const { copies, copy, fail, send } = yield* start
      const id = yield* fail(platforms, { group_id: group })
      const first = (yield* copy(id, { what: "missing" })).body.data
      assert.deepStrictEqual(yield* copies(id), [first.id, first.id])
      assert.strictEqual((yield* send("DELETE", `/${first.id}`)).status, 200)
      assert.deepStrictEqual(yield* copies(id), [null, null])
      const second = (yield* copy(id, { what: "missing", platforms: ["bluesky"] })).body.data
      assert.deepStrictEqual(yield* copies(id), [null, second.id])
      // The post is published only on platforms for which no copy has taken it over.
      const again = yield* send("POST", `/${id}/publish`)
      assert.deepStrictEqual(
        again.body.data.post_targets.map((target: { status: string }) => target.status),
        ["pending", "failed"]
      )
      // Deletes the group: the post and its copy.
      assert.strictEqual((yield* send("DELETE", `/group/${group}`)).body.data.deleted, 2)
    })
  )

  it.effect("A copy that failed and was copied in turn hands on what it had taken over when it is deleted", () =>
    Effect.gen(function* () {
      const { copies, copy, fail, send, sql } = yield* start
      const thread = [{ content: "Second" }]
      for (const more of [{}, { thread }]) {
        const id = yield* fail(platforms, more)
        const first: string = (yield* copy(id, { what: "missing" })).body.data.id
        yield* sql`UPDATE post_targets SET status = 'failed', error_code = 'rejected', error_message = 'Refused',
          error_retryable = false WHERE post_id = ${first}::uuid`
        yield* sql`UPDATE posts SET status = 'failed', scheduled_at = now() WHERE id = ${first}::uuid`
        const second: string = (yield* copy(first, { what: "missing" })).body.data.id
        assert.strictEqual((yield* send("DELETE", `/${first}`)).status, 200)
        assert.deepStrictEqual(yield* copies(id), [second, second])
        for (const refused of [yield* send("POST", `/${id}/publish`), yield* copy(id, { what: "missing" })]) {
          assert.strictEqual(refused.status, 400)
          assert.strictEqual(refused.body.code, "invalid_state")
        }
        assert.strictEqual((yield* send("DELETE", `/${second}`)).status, 200)
        assert.deepStrictEqual(yield* copies(id), [null, null])
        assert.strictEqual((yield* send("POST", `/${id}/publish`)).status, 202)
      }
    })
  )

  it.effect("A copy of which something was sent, or may have been, keeps what it had taken over", () =>
    Effect.gen(function* () {
      const { copies, copy, fail, send, sql } = yield* start
      for (const sent of [
        "status = 'published', published_at = now()",
        "status = 'failed', sent_at = now(), prepared = '{}', error_code = 'rejected', error_message = '', error_retryable = false",
        "reconcile_from = now()"
      ]) {
        const id = yield* fail(platforms)
        const { body } = yield* copy(id, { what: "missing" })
        const copyId: string = body.data.id
        yield* sql.unsafe(`UPDATE post_targets SET ${sent} WHERE post_id = $1::uuid AND platform = 'twitter'`, [copyId])
        assert.strictEqual((yield* send("DELETE", `/${copyId}`)).status, 200)
        assert.deepStrictEqual(yield* copies(id), [copyId, null], sent)
        const second = yield* copy(id, { what: "missing" })
        assert.deepStrictEqual(yield* copies(id), [copyId, second.body.data.id], sent)
      }
    })
  )

  it.effect("Where the post may be out it is not copied as missing, unless that platform is left out", () =>
    Effect.gen(function* () {
      const { copies, copy, fail, send, sql } = yield* start
      for (const [open, resolvable] of [
        ["sent_at = now(), prepared = '{}'", true],
        ["sent_at = now(), prepared = '{}', error_code = 'gave_up'", true],
        ["error_code = 'outcome_unknown'", true],
        ["reconcile_from = now(), reconcile_until = now()", true]
      ] as const) {
        const id = yield* fail(platforms)
        yield* sql.unsafe(`UPDATE post_targets SET ${open} WHERE post_id = $1::uuid AND platform = 'twitter'`, [id])
        const refused = yield* copy(id, { what: "missing" })
        assert.deepInclude(refused.body, { status: 400, code: "outcome_open", platforms: ["twitter"] }, open)
        assert.deepStrictEqual(yield* copies(id), [null, null])
        assert.strictEqual((yield* copy(id, { what: "missing", platforms: ["bluesky"] })).status, 201)
        const resolved = yield* send("POST", `/${id}/targets/twitter/resolve`, { outcome: "not_published" })
        assert.strictEqual(resolved.status === 200, resolvable, open)
        // A platform might carry out a send late. Publishing again searches for such a post; a copy does not.
        assert.strictEqual((yield* copy(id, { what: "missing", platforms: ["twitter"] })).body.code, "outcome_open")
        assert.strictEqual((yield* send("POST", `/${id}/publish`)).status, 202)
      }
    })
  )

  it.effect("A target that a copy has taken over can't be sent again by whatever process", () =>
    Effect.gen(function* () {
      const { copy, fail, sql } = yield* start
      const id = yield* fail()
      yield* copy(id, { what: "missing" })
      // As the previous version does, which doesn't support copies.
      const send = sql`UPDATE post_targets SET status = 'pending', error_code = NULL, error_message = NULL,
        error_retryable = NULL WHERE post_id = ${id}::uuid AND status = 'failed'`
      assert.strictEqual((yield* Effect.flip(send)).reason._tag, "ConstraintError")
    })
  )

  it.effect("Files that are gone are left out and named, and the others stay while either post needs them", () =>
    Effect.gen(function* () {
      const { copy, create, send, sql, workspaceId } = yield* start
      const [kept, gone] = [yield* storeFile(workspaceId), yield* storeFile(workspaceId)]
      const media = [{ id: gone.id }, { id: kept.id, alt: "Ours" }]
      const id = yield* create({ media })
      yield* sql`UPDATE media SET removed_at = now() WHERE id = ${gone.id}::uuid`
      const { body } = yield* copy(id)
      assert.deepStrictEqual(body.data.media, [{ ...kept, alt: "Ours" }])
      assert.deepStrictEqual(body.warnings, [
        { path: ["media", 0], message: `The file ${gone.id} is gone; the copy is without it` }
      ])
      assert.strictEqual((yield* send("DELETE", `/${id}`)).status, 200)
      const remove = (yield* Repo).media.remove(workspaceId, kept.id)
      assert.strictEqual((yield* Effect.flip(remove))._tag, "InvalidState")
      assert.strictEqual((yield* send("DELETE", `/${body.data.id}`)).status, 200)
      assert.strictEqual((yield* remove).id, kept.id)
      const empty = yield* create({ content: "", media: [{ id: (yield* storeFile(workspaceId)).id }] })
      yield* sql`UPDATE media SET removed_at = now() WHERE workspace_id = ${workspaceId}::uuid`
      assert.strictEqual((yield* copy(empty)).body.code, "invalid_state")
    })
  )

  it.effect("A copy of a post of a full group is in none, and says so", () =>
    Effect.gen(function* () {
      const { copy, create, sql, workspaceId } = yield* start
      const id = yield* create({ group_id: group })
      yield* sql`INSERT INTO posts (id, workspace_id, group_id, status, content, tags, platform_overrides, platform_settings, created_at)
        SELECT gen_random_uuid(), ${workspaceId}::uuid, ${group}::uuid, 'draft', 'Hello', '{}', '{}', '{}', now()
        FROM generate_series(1, ${maxGroupPosts - 2}::int)`
      assert.strictEqual((yield* copy(id)).body.data.group_id, group)
      const { body } = yield* copy(id)
      assert.strictEqual(body.data.group_id, null)
      assert.deepStrictEqual(body.warnings[0].path, ["group_id"])
    })
  )

  it.effect("An account that is disconnected is named, and nothing is copied; others can be", () =>
    Effect.gen(function* () {
      const { copies, copy, fail, send, sql, workspaceId } = yield* start
      const id = yield* fail(platforms)
      yield* sql`UPDATE integrations SET status = 'disconnected', credentials = NULL
        WHERE workspace_id = ${workspaceId}::uuid AND platform = 'twitter'`
      for (const what of ["all", "missing"]) {
        const refused = yield* copy(id, { what })
        assert.deepInclude(refused.body, { code: "integration_not_connected", platforms: ["twitter"] })
      }
      assert.lengthOf((yield* send("GET", "")).body.data, 1)
      assert.deepStrictEqual(yield* copies(id), [null, null])
      const copied = yield* copy(id, { what: "missing", platforms: ["bluesky"] })
      assert.deepStrictEqual(yield* copies(id), [null, copied.body.data.id])
    })
  )

  it.effect("A key that requires approval copies whole posts, to drafts of its own", () =>
    Effect.gen(function* () {
      const { fail, sendAs, workspaceId } = yield* start
      const id = yield* fail()
      const agent = yield* makeKey(workspaceId, { requiresApproval: true })
      const asAgent = sendAs(keyHeaders(agent.key))
      const refused = yield* asAgent("POST", `/${id}/copy`, { what: "missing" })
      assert.deepStrictEqual([refused.status, refused.body.code], [403, "approval_required"])
      assert.strictEqual((yield* asAgent("PATCH", `/${id}`, { content: "Other" })).body.code, "not_own_draft")
      const { body } = yield* asAgent("POST", `/${id}/copy`, {})
      const changed = yield* asAgent("PATCH", `/${body.data.id}`, {
        content: "Other",
        status: "scheduled",
        scheduled_at: "1970-01-03T00:00:00Z"
      })
      assert.deepInclude(changed.body.data, { status: "draft", copied_from: id })
      assert.strictEqual(changed.body.data.approval.status, "requested")
    })
  )

  it.effect("Copying needs posts:write, or the role editor, and a post of the workspace", () =>
    Effect.gen(function* () {
      const { copy, create, sendAs, workspaceId } = yield* start
      const id = yield* create()
      const reader = yield* makeKey(workspaceId, { scopes: ["posts:read", "posts:publish", "posts:delete"] })
      assert.strictEqual((yield* sendAs(keyHeaders(reader.key))("POST", `/${id}/copy`, {})).status, 403)
      const sessionOf = Effect.fnUntraced(function* (role: "viewer" | "editor") {
        const member = yield* makeMember(workspaceId, role)
        return sendAs({ cookie: yield* makeSession(member.id, workspaceId), "sec-fetch-site": "same-origin" })
      })
      assert.strictEqual((yield* (yield* sessionOf("viewer"))("POST", `/${id}/copy`, {})).status, 403)
      assert.strictEqual((yield* (yield* sessionOf("editor"))("POST", `/${id}/copy`, {})).status, 201)
      assert.strictEqual((yield* (yield* start).copy(id)).status, 404)
      assert.strictEqual((yield* copy(unknown)).status, 404)
    })
  )

  it.effect("A body that says something else is refused, with every field that is wrong", () =>
    Effect.gen(function* () {
      const { copy, create } = yield* start
      const id = yield* create()
      const wrong = yield* copy(id, { what: "some", platforms: [], when: "now" })
      assert.sameDeepMembers(errorPaths(wrong.body), [["what"], ["platforms"], ["when"]])
      const others = yield* copy(id, { platforms: ["twitter", "tiktok"] })
      assert.deepStrictEqual(errorPaths(others.body), [["platforms", 1]])
      assert.strictEqual((yield* copy(id, { what: null, platforms: null })).status, 201)
    })
  )

  it.effect("A copy that is repeated with its Idempotency-Key is made once", () =>
    Effect.gen(function* () {
      const { copy, fail, send } = yield* start
      const id = yield* fail()
      const once = copy(id, { what: "missing" }, { "idempotency-key": "once" })
      const first = yield* once
      const second = yield* once
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual(second.body, first.body)
      assert.strictEqual(second.headers.get("location"), first.headers.get("location"))
      assert.lengthOf((yield* send("GET", "")).body.data, 2)
      assert.strictEqual((yield* copy(id, {}, { "idempotency-key": "once" })).status, 422)
    })
  )

  it.effect("What a later version has stored of a post is copied too", () =>
    Effect.gen(function* () {
      const { copy, create, sql } = yield* start
      const id = yield* create()
      const overrides = { bluesky: "x".repeat(20_000), later: "Elsewhere" }
      yield* sql`UPDATE posts SET platform_overrides = ${JSON.stringify(overrides)}::jsonb WHERE id = ${id}::uuid`
      const { body } = yield* copy(id)
      assert.deepStrictEqual(body.data.platform_overrides, { bluesky: overrides.bluesky })
      const stored = yield* sql`SELECT platform_overrides AS texts FROM posts WHERE id = ${body.data.id}::uuid`
      assert.deepStrictEqual(stored[0], { texts: overrides })
    })
  )
})
