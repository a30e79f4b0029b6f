import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GroupId, type WorkspaceId } from "../../../src/domain/ids.ts"
import { insertLargePosts, mostTags, tagsOfOldPosts } from "../../support/database/largePosts.ts"
import { keyHeaders, send, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../../support/http/team.ts"

const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-000000000001")

const makeLargeTeam = Effect.fn("makeLargeTeam")(function* (count: number, tags = mostTags) {
  const team = yield* makeTeam
  yield* insertLargePosts({ workspaceId: team.workspaceId, count, tags, groupId })
  const url = yield* ServerUrl
  return { ...team, get: (path: string) => send(`${url}${path}`, { headers: keyHeaders(team.key) }) }
})

/** The ids of a workspace's posts, newest first. */
const storedIds = Effect.fn("storedIds")(function* (workspaceId: WorkspaceId) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly id: string }>`
    SELECT id FROM posts WHERE workspace_id = ${workspaceId}::uuid ORDER BY id DESC`
  return rows.map(({ id }) => id)
})

const idsOf = (body: { readonly data: ReadonlyArray<{ readonly id: string }> }) => body.data.map(({ id }) => id)

layer(databaseServerLayer())("large lists of posts", (it) => {
  it.effect("A page of at most 200 posts is whole, however large they are", () =>
    Effect.gen(function* () {
      const { get, workspaceId } = yield* makeLargeTeam(201, tagsOfOldPosts)
      const { body, headers, status, text } = yield* get("/v1/posts?limit=200")
      assert.deepStrictEqual([status, headers.get("content-type")], [200, "application/json"])
      assert.isAbove(Buffer.byteLength(text), 20e6)
      const ids = yield* storedIds(workspaceId)
      assert.deepStrictEqual(idsOf(body), ids.slice(0, 200))
      const rest = yield* get(`/v1/posts?limit=200&cursor=${body.next_cursor}`)
      assert.deepStrictEqual([idsOf(rest.body), rest.body.next_cursor], [ids.slice(200), null])
    })
  )

  it.effect("A page of more than 200 posts ends once it has 4 MB, and its next_cursor leads to the rest", () =>
    Effect.gen(function* () {
      const { get, workspaceId } = yield* makeLargeTeam(450)
      const ids = yield* storedIds(workspaceId)
      const listed: Array<string> = []
      const sizes: Array<number> = []
      let cursor = ""
      do {
        const { body } = yield* get(`/v1/posts?limit=1000${cursor}`)
        listed.push(...idsOf(body))
        sizes.push(body.data.length)
        cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`
      } while (cursor !== "")
      assert.deepStrictEqual(listed, ids)
      assert.deepStrictEqual(sizes, [200, 200, 50])
    })
  )

  it.effect("A page of 1,000 small posts is whole", () =>
    Effect.gen(function* () {
      const { get, workspaceId } = yield* makeLargeTeam(0)
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO posts (id, workspace_id, status, content, tags, platform_overrides, platform_settings, created_at)
        SELECT uuidv7(), ${workspaceId}::uuid, 'draft', 'A draft', '{}', '{}', '{}', now() FROM generate_series(1, 1001)`
      const { body } = yield* get("/v1/posts?limit=1000")
      assert.deepStrictEqual(idsOf(body), (yield* storedIds(workspaceId)).slice(0, 1000))
      assert.isNotNull(body.next_cursor)
    })
  )

  it.effect("A group is listed as a whole, however large it is", () =>
    Effect.gen(function* () {
      const { get, workspaceId } = yield* makeLargeTeam(300, tagsOfOldPosts)
      const { body } = yield* get(`/v1/posts/group/${groupId}`)
      assert.deepStrictEqual(Object.keys(body), ["data"])
      assert.deepStrictEqual(idsOf(body), yield* storedIds(workspaceId))
    })
  )

  it.effect("A list holds the same posts as they are read one by one", () =>
    Effect.gen(function* () {
      const { get } = yield* makeLargeTeam(5)
      const { body } = yield* get("/v1/posts?limit=5")
      for (const listed of body.data) {
        assert.deepStrictEqual((yield* get(`/v1/posts/${listed.id}`)).body.data, listed)
      }
    })
  )

  it.effect("A post of more than 64,000 bytes is refused with its size, on creation, update and validation", () =>
    Effect.gen(function* () {
      const { key } = yield* makeLargeTeam(0)
      const url = yield* ServerUrl
      const request = (method: string, path: string, body: object) =>
        sendJson(`${url}${path}`, method, keyHeaders(key), body)
      const thread = Array.from({ length: 3 }, () => ({ content: "日".repeat(9_000) }))
      const errors = [
        {
          path: [],
          message:
            "content, platform_overrides, platform_settings, tags, thread and alt texts together may have 64,000 bytes, but these have 81,005"
        }
      ]
      const draft = { content: "Hello", platforms: ["twitter"] }
      const { body: created } = yield* request("POST", "/v1/posts", draft)
      const created400 = yield* request("POST", "/v1/posts", { ...draft, thread })
      const updated400 = yield* request("PATCH", `/v1/posts/${created.id}`, { thread })
      for (const { body, status } of [created400, updated400]) {
        assert.deepStrictEqual([status, body.code, body.errors], [400, "invalid_request", errors])
      }
      const { body: validated } = yield* request("POST", "/v1/posts/validate", { ...draft, thread })
      assert.isFalse(validated.data.valid)
      assert.deepInclude(validated.data.errors, errors[0])
    })
  )

  it.effect("A HEAD request for a large list has its headers and no body", () =>
    Effect.gen(function* () {
      const { key } = yield* makeLargeTeam(5)
      const { headers, status, text } = yield* send(`${yield* ServerUrl}/v1/posts`, {
        method: "HEAD",
        headers: keyHeaders(key)
      })
      assert.deepStrictEqual([status, headers.get("content-type"), text], [200, "application/json", ""])
    })
  )
})
