import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GroupId } from "../../../src/domain/ids.ts"
import { keyHeaders, send, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../../support/http/team.ts"

const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-000000000001")

layer(databaseServerLayer())("a group of posts", (it) => {
  it.effect("A group takes no post beyond its 1,000, and validation says so", () =>
    Effect.gen(function* () {
      const { key, workspaceId } = yield* makeTeam
      const url = yield* ServerUrl
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO posts (id, workspace_id, group_id, status, content, tags, platform_overrides, platform_settings,
          created_at)
        SELECT uuidv7(), ${workspaceId}::uuid, ${groupId}::uuid, 'draft', 'A draft', '{}', '{}', '{}', now()
        FROM generate_series(1, 999)`
      const body = { content: "Hello", platforms: ["twitter"], group_id: groupId }
      const post = (path: string) => sendJson(`${url}${path}`, "POST", keyHeaders(key), body)
      assert.isTrue((yield* post("/v1/posts/validate")).body.data.valid)
      assert.strictEqual((yield* post("/v1/posts")).status, 201)
      const refused = yield* post("/v1/posts")
      const errors = [{ path: ["group_id"], message: "A group may have 1,000 posts; choose another group_id" }]
      assert.deepStrictEqual([refused.status, refused.body.code, refused.body.errors], [400, "invalid_request", errors])
      assert.deepStrictEqual((yield* post("/v1/posts/validate")).body.data.errors, errors)
      const listed = yield* send(`${url}/v1/posts/group/${groupId}`, { headers: keyHeaders(key) })
      assert.lengthOf(listed.body.data, 1_000)
    })
  )
})
