import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { interleave, waitingOrEnded } from "../../support/database/interleave.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { accountWorld } from "./accountWorld.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { adminOf, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"
import { sandboxAppPassword } from "../../../src/platforms/bluesky/standIn/sessions.ts"
import { protectedEndpoints } from "../middleware/protectedEndpoints.ts"

// Not policed: it compares all rows of a workspace, and changes tables directly. Races with files are in
// test/media/authorityRaces.test.ts.

/** The tables with a workspace's rows that authorized callers change. */
const tables = [
  "api_keys",
  "webhooks",
  "channels",
  "invites",
  "members",
  "integrations",
  "authorisations",
  "account_changes",
  "posts",
  "post_targets",
  "post_approvals",
  "events"
]

/** All rows of a workspace in these tables. */
const contents = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(tables, (table) =>
    sql.unsafe(
      `SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY to_jsonb(t)::text), '[]') AS rows FROM ${table} t WHERE workspace_id = $1::uuid`,
      [workspaceId]
    )
  )
})

/** A workspace with one row of each kind, another admin, and a key with all rights. */
const makeWorld = Effect.gen(function* () {
  const { invites } = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const url = yield* ServerUrl
  const team = yield* makeTeam
  const { workspaceId } = team
  const other = yield* makeMember(workspaceId)
  const otherCookie = yield* makeSession(other.id, workspaceId)
  const bot = yield* makeKey(workspaceId)
  const agent = yield* makeKey(workspaceId, { requiresApproval: true })
  const member = yield* makeMember(workspaceId, "viewer")
  const { invite } = yield* invites.create(adminOf(team), "invited@example.com", "viewer")
  const hook = yield* sendJson(`${url}/v1/webhooks`, "POST", keyHeaders(team.key), {
    url: "https://hooks.example.com/posts"
  })
  const channel = yield* sendJson(`${url}/v1/channels`, "POST", keyHeaders(team.key), {
    kind: "mattermost",
    name: "#social",
    url: "https://chat.example.com/hooks/abc123"
  })
  const draft = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(agent.key), {
    content: "Hello",
    platforms: ["twitter"],
    schedule_at: "1970-01-02T00:00:00Z"
  })
  const group = "01a1fc17-dc2e-777d-ad63-5a461a1bba47"
  yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(team.key), {
    content: "In a group",
    platforms: ["twitter"],
    group_id: group
  })
  const [integration] = yield* sql<{
    id: string
  }>`SELECT id FROM integrations WHERE workspace_id = ${workspaceId}::uuid`
  const unused = "01a1fc17-dc2e-777d-ad63-5a461a1bba46"
  return {
    workspaceId,
    admin: team.cookie,
    other,
    otherCookie,
    bot,
    ids: {
      key: agent.id,
      member: member.id,
      invite: invite.id,
      workspace: workspaceId,
      post: draft.body.id,
      media: unused,
      webhook: hook.body.data.id,
      channel: channel.body.data.id,
      integration: integration?.id ?? "",
      group,
      notification: unused
    }
  }
})

/** Valid bodies for requests that `protectedEndpoints` expects to be refused for their bodies. */
const validBodies: Readonly<Record<string, unknown>> = {
  "/v1/integrations/bluesky": { identifier: "alice.sandbox.test", app_password: sandboxAppPassword },
  "/v1/integrations/facebook": {},
  "/v1/integrations/linkedin": {},
  "/v1/integrations/instagram": {},
  "/v1/integrations/tiktok": {},
  "/v1/integrations/threads": {},
  "/v1/integrations/youtube": {},
  "/v1/integrations/twitter": {},
  "/v1/posts/{id}/targets/{platform}/resolve": { outcome: "not_published" }
}

/** The endpoints that change a workspace and need no file. */
const guarded = protectedEndpoints.filter(
  ({ method, role, scope, status, template }) =>
    method !== "GET" &&
    (role !== undefined || (scope !== undefined && !scope.endsWith(":read") && scope !== "media:write")) &&
    (status < 300 || template in validBodies)
)

/** Locks the tables, so that every write waits as in a slow service. */
const holdWrites = Effect.fnUntraced(function* (change: string, id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`LOCK TABLE ${["workspaces", ...tables].join(", ")} IN EXCLUSIVE MODE`)
  yield* sql.unsafe(change, [id])
})

/** The guarded endpoints that write a post. */
const written = guarded.filter(
  ({ method, template }) =>
    /^.v1.posts/.test(template) && (method !== "POST" || !/approve|reject|resolve/.test(template))
)

const removal = "DELETE FROM members WHERE user_id = $1::uuid"
const demotion = "UPDATE members SET role = 'viewer' WHERE user_id = $1::uuid"
const logOut = "DELETE FROM sessions WHERE user_id = $1::uuid"
const revocation = "UPDATE api_keys SET revoked_at = now() WHERE id = $1::uuid"

layer(accountWorld)("Requests in flight of somebody who loses their rights", (it) => {
  it.effect.each(
    guarded.flatMap((endpoint) => [
      { ...endpoint, what: "an admin who is removed", change: removal },
      { ...endpoint, what: "an admin who is demoted", change: demotion },
      { ...endpoint, what: "an admin whose session is ended", change: logOut },
      ...(endpoint.scope === undefined ? [] : [{ ...endpoint, what: "a key that is revoked", change: revocation }])
    ])
  )("$method $template of $what changes nothing", ({ body, change, method, path, template }) =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { bot, ids, other, otherCookie, workspaceId } = yield* makeWorld
      const isKey = change === revocation
      const [before, response] = yield* interleave(
        Effect.andThen(holdWrites(change, isKey ? bot.id : other.id), contents(workspaceId)),
        sendJson(
          `${url}${path(ids)}`,
          method,
          isKey ? keyHeaders(bot.key) : sessionHeaders(otherCookie),
          validBodies[template] ?? body?.(ids)
        )
      )
      const { body: problem, status } = yield* response
      assert.deepStrictEqual(
        [status, problem.code],
        change === demotion ? [403, "insufficient_role"] : [401, "unauthorized"]
      )
      assert.deepStrictEqual(yield* contents(workspaceId), before)
    })
  )

  it.effect.each(
    written.flatMap((endpoint) => [
      { ...endpoint, what: "a member is removed" },
      { ...endpoint, what: "a key is revoked" }
    ])
  )("Nothing is stored by $method $template after $what, whatever it waits for", ({ body, method, path, what }) =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const sql = yield* SqlClient.SqlClient
      const { admin, bot, ids, other, otherCookie, workspaceId } = yield* makeWorld
      const isKey = what === "a key is revoked"
      const rows = sql`SELECT FROM posts p WHERE workspace_id = ${workspaceId}::uuid FOR UPDATE`
      const accounts = sql`SELECT FROM integrations WHERE workspace_id = ${workspaceId}::uuid FOR UPDATE`
      const mayGo = yield* Deferred.make<void>()
      const isHeld = yield* Deferred.make<void>()
      const holder = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(Effect.all([rows, accounts, Deferred.succeed(isHeld, undefined)]), Deferred.await(mayGo))
        )
      )
      yield* Deferred.await(isHeld)
      const headers = isKey ? keyHeaders(bot.key) : sessionHeaders(otherCookie)
      const request = yield* Effect.forkChild(sendJson(`${url}${path(ids)}`, method, headers, body?.(ids)))
      yield* waitingOrEnded(request, 1)
      const removal = yield* Effect.forkChild(
        sendJson(`${url}/v1/${isKey ? `keys/${bot.id}` : `members/${other.id}`}`, "DELETE", sessionHeaders(admin))
      )
      yield* waitingOrEnded(removal, 2)
      const removedFirst = removal.pollUnsafe() !== undefined
      yield* Deferred.succeed(mayGo, undefined)
      yield* Fiber.join(holder)
      const { status } = yield* Fiber.join(request)
      assert.strictEqual((yield* Fiber.join(removal)).status, 200)
      assert.isTrue(removedFirst ? status === 401 : status < 300, `${status}, removed first: ${removedFirst}`)
    })
  )
})
