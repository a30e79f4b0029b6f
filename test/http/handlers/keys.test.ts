import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { defaultScopes } from "../../../src/domain/plain/access.ts"
import { isWellFormedApiKey, maxKeys } from "../../../src/domain/people/apiKey.ts"
import { errorPaths, keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam } from "../../support/http/team.ts"

const call = Effect.fnUntraced(function* (cookie: string, method: string, path: string, body?: unknown) {
  return yield* sendJson(`${yield* ServerUrl}/v1/keys${path}`, method, sessionHeaders(cookie), body)
})

const works = Effect.fnUntraced(function* (key: string) {
  return (yield* sendJson(`${yield* ServerUrl}/v1/me`, "GET", keyHeaders(key))).status === 200
})

layer(databaseServerLayer({ rateLimitPerMinute: 10_000 }))("API keys", (it) => {
  it.effect("An admin creates a key, whose secret is shown once and works", () =>
    Effect.gen(function* () {
      const { cookie, user } = yield* makeTeam
      const { body, headers, status } = yield* call(cookie, "POST", "", { name: "Release bot" })
      assert.strictEqual(status, 201)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.isTrue(isWellFormedApiKey(body.secret))
      assert.isTrue(yield* works(body.secret))
      assert.deepStrictEqual(body.data, {
        id: body.data.id,
        name: "Release bot",
        prefix: body.secret.slice(0, 12),
        scopes: [...defaultScopes],
        requires_approval: false,
        purpose: null,
        created_at: "1970-01-01T00:00:00.000Z",
        created_by: { type: "user", id: user.id, name: user.email },
        expires_at: null,
        last_used_at: null,
        rotated_at: null,
        revoked_at: null
      })
      const listed = yield* call(cookie, "GET", "")
      assert.deepStrictEqual(listed.body.data[0], body.data)
      assert.notInclude(listed.text, body.secret)
    })
  )

  it.effect.each([
    { body: {}, paths: [["name"]] },
    { body: { name: " " }, paths: [["name"]] },
    { body: { name: "x".repeat(101) }, paths: [["name"]] },
    { body: { name: "A\0" }, paths: [["name"]] },
    { body: { name: "Bot\u202E" }, paths: [["name"]] },
    { body: { name: "Bo\u200Bt" }, paths: [["name"]] },
    { body: { name: "A", scopes: [] }, paths: [["scopes"]] },
    { body: { name: "A", scopes: ["posts:read", "posts:read"] }, paths: [["scopes"]] },
    { body: { name: "A", scopes: ["keys:manage"] }, paths: [["scopes", 0]] },
    {
      body: { name: "A", requires_approval: true, scopes: ["posts:read", "webhooks:manage", "integrations:write"] },
      paths: [
        ["scopes", 1],
        ["scopes", 2]
      ]
    },
    { body: { name: "A", expires_in: 59 }, paths: [["expires_in"]] },
    { body: { name: "A", expires_in: 315_360_001 }, paths: [["expires_in"]] },
    { body: { name: "A", purpose: "robot" }, paths: [["purpose"]] },
    { body: { name: "A", more: 1 }, paths: [["more"]] }
  ])("An invalid key gets a 400 that names every invalid field: $body", ({ body, paths }) =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const refused = yield* call(cookie, "POST", "", body)
      assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(refused.body), paths)
    })
  )

  it.effect("A powerful scope is given by name, and the key expires when it was asked to", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { body } = yield* call(cookie, "POST", "", { name: "A", scopes: ["webhooks:manage"], expires_in: 60 })
      assert.deepStrictEqual(
        [body.data.scopes, body.data.expires_at],
        [["webhooks:manage"], "1970-01-01T00:01:00.000Z"]
      )
    })
  )

  it.effect("A rotated key has the same permissions, and the former one ends with the overlap", () =>
    Effect.gen(function* () {
      const { cookie, user, workspaceId } = yield* makeTeam
      const old = yield* makeKey(workspaceId, { scopes: ["posts:read"] })
      const { body, status } = yield* call(cookie, "POST", `/${old.id}/rotate`, { overlap: 0 })
      assert.strictEqual(body.data.created_by.id, user.id)
      assert.deepStrictEqual([status, body.data.scopes], [201, ["posts:read"]])
      assert.isTrue(yield* works(body.secret))
      assert.isFalse(yield* works(old.key))
      const again = yield* call(cookie, "POST", `/${old.id}/rotate`, {})
      assert.deepStrictEqual([again.status, again.body.code], [400, "invalid_state"])
    })
  )

  it.effect("The key of an agent shows what it is for, also once it was rotated", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { body } = yield* call(cookie, "POST", "", { name: "A", requires_approval: true, purpose: "agent" })
      assert.strictEqual(body.data.purpose, "agent")
      const rotated = yield* call(cookie, "POST", `/${body.data.id}/rotate`, {})
      assert.strictEqual(rotated.body.data.purpose, "agent")
      const listed = yield* call(cookie, "GET", "")
      assert.deepStrictEqual(
        listed.body.data.map(({ purpose }: { readonly purpose: string | null }) => purpose),
        ["agent", "agent", null]
      )
      assert.isNull((yield* call(cookie, "POST", "", { name: "A", purpose: null })).body.data.purpose)
    })
  )

  it.effect("A purpose that only a later version knows is shown as none", () =>
    Effect.gen(function* () {
      const { cookie, workspaceId } = yield* makeTeam
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE api_keys SET purpose = 'later' WHERE workspace_id = ${workspaceId}::uuid`
      const { body, status } = yield* call(cookie, "GET", "")
      assert.deepStrictEqual([status, body.data[0].purpose], [200, null])
    })
  )

  it.effect("A revoked key does not work, and revoking it again changes nothing", () =>
    Effect.gen(function* () {
      const { cookie, workspaceId } = yield* makeTeam
      const { id, key } = yield* makeKey(workspaceId)
      const revoked = yield* call(cookie, "DELETE", `/${id}`)
      assert.deepStrictEqual([revoked.status, revoked.body.data.revoked_at], [200, "1970-01-01T00:00:00.000Z"])
      assert.isFalse(yield* works(key))
      assert.deepStrictEqual((yield* call(cookie, "DELETE", `/${id}`)).body, revoked.body)
    })
  )

  it.effect("Another workspace's key is neither listed, rotated nor revoked", () =>
    Effect.gen(function* () {
      const { cookie } = yield* makeTeam
      const { workspaceId } = yield* makeTeam
      const { id, key } = yield* makeKey(workspaceId)
      const { body } = yield* call(cookie, "GET", "")
      assert.notInclude(JSON.stringify(body), id)
      const refused = [yield* call(cookie, "POST", `/${id}/rotate`, {}), yield* call(cookie, "DELETE", `/${id}`)]
      for (const { body: problem, status } of refused)
        assert.deepStrictEqual([status, problem.code], [404, "not_found"])
      assert.isTrue(yield* works(key))
    })
  )

  it.effect("A workspace with as many keys as it may have gets no more, by creating or by rotating, even at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cookie, workspaceId } = yield* makeTeam
      const { id } = yield* makeKey(workspaceId)
      yield* sql`INSERT INTO api_keys (id, workspace_id, name, prefix, hash, scopes, requires_approval, created_at)
        SELECT gen_random_uuid(), ${workspaceId}::uuid, 'A key', 'sps_', sha256(convert_to(n::text || ${workspaceId}, 'UTF8')),
          '{}', false, '1969-01-01T00:00:00Z' FROM generate_series(1, ${maxKeys - 3}::int) n`
      const responses = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () => call(cookie, "POST", "", { name: "One more" }),
        { concurrency: 4 }
      )
      const refused = responses.filter(({ status }) => status !== 201)
      assert.lengthOf(refused, 3)
      for (const { body, status } of refused) assert.deepStrictEqual([status, body.code], [400, "key_limit"])
      assert.strictEqual((yield* call(cookie, "POST", `/${id}/rotate`, {})).body.code, "key_limit")
    })
  )
})
