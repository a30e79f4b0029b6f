import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Role, roleScopes } from "../../../src/domain/people/role.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const surroundings = {
  rate_limit: { limit: 300, window_seconds: 60 },
  publishing: { held_since: null },
  platforms: "sandbox"
}

layer(databaseServerLayer())("GET /v1/me", (it) => {
  it.effect("A key gets itself, its workspace and no others", () =>
    Effect.gen(function* () {
      const { workspaceId } = yield* makeTeam
      const { id, key } = yield* makeKey(workspaceId, { scopes: ["posts:read"], expiresIn: Duration.days(1) })
      const response = yield* sendJson(`${yield* ServerUrl}/v1/me`, "GET", keyHeaders(key))
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(response.body.data, {
        ...surroundings,
        workspace: { id: workspaceId, name: response.body.data.workspace.name },
        workspaces: [],
        caller: {
          type: "key",
          id,
          name: "A key",
          scopes: ["posts:read"],
          requires_approval: false,
          expires_at: "1970-01-02T00:00:00.000Z"
        }
      })
    })
  )

  it.effect.each(Role.literals.map((role) => ({ role })))(
    "A person with the role $role gets the role, what it allows, and all of their workspaces",
    ({ role }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { workspaceId } = yield* makeTeam
        const { workspaceId: second } = yield* makeTeam
        const { id, email } = yield* makeMember(workspaceId, role)
        yield* sql`INSERT INTO members (workspace_id, user_id, role, created_at)
          VALUES (${second}::uuid, ${id}::uuid, 'viewer', now() + interval '1 minute')`
        const cookie = yield* makeSession(id, workspaceId)
        const { body } = yield* sendJson(`${yield* ServerUrl}/v1/me`, "GET", sessionHeaders(cookie))
        assert.deepStrictEqual(body.data.caller, {
          type: "user",
          id,
          email,
          name: null,
          role,
          scopes: [...roleScopes(role)]
        })
        assert.strictEqual(body.data.workspace.id, workspaceId)
        assert.deepStrictEqual(
          body.data.workspaces.map((workspace: Record<string, unknown>) => [workspace["id"], workspace["role"]]),
          [
            [workspaceId, role],
            [second, "viewer"]
          ]
        )
      })
  )

  it.effect("It says since when publishing is held", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { cookie } = yield* makeTeam
      yield* sql`INSERT INTO publishing_state (held_since) VALUES ('2030-01-31T09:00:00Z')`
      const { body } = yield* sendJson(`${yield* ServerUrl}/v1/me`, "GET", sessionHeaders(cookie))
      yield* sql`DELETE FROM publishing_state`
      assert.deepStrictEqual(body.data.publishing, { held_since: "2030-01-31T09:00:00.000Z" })
    })
  )
})
