import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { GroupId, PostId } from "../../../src/domain/ids.ts"
import { noFilters } from "../../../src/domain/posts/postList.ts"
import type { PostSearch } from "../../../src/repo/posts/Posts.ts"
import { call, errorPaths } from "../../support/http/client.ts"
import { aPostJson, postId } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const groupId = GroupId.make("01a1fc17-dc2e-777d-ad63-00000000000a")

/** A server whose lists have a page with one post and a further page, and the Repo's recorded searches. */
const startLists = Effect.gen(function* () {
  const searches: Array<PostSearch> = []
  const post = { ...aPostJson({ id: PostId.make(postId) }), scheduledAt: DateTime.makeUnsafe("2030-01-31T09:00:00Z") }
  const url = yield* startServer({
    repo: repoWithKey({
      posts: {
        list: () => Effect.succeed({ posts: [post], more: true }),
        search: (_workspace, query) =>
          Effect.sync(() => {
            searches.push(query)
            return query.after === null ? { posts: [post], more: true } : { posts: [], more: false }
          })
      }
    })
  })
  return { searches, get: (query: string) => call(`${url}/v1/posts?${query}`) }
})

/** The parameters of different lists. */
const lists = [
  "limit=1",
  "limit=1&status=draft",
  "limit=1&tag=release",
  "limit=1&time=none",
  "limit=1&order=asc",
  "limit=1&sort=scheduled_at",
  "limit=1&sort=scheduled_at&order=asc&scheduled_from=2030-01-01T00:00:00Z"
]

describe("filters and order of GET /v1/posts", () => {
  it.effect("Every filter and the order reach the search, with times from any zone", () =>
    Effect.gen(function* () {
      const { get, searches } = yield* startLists
      const { status } = yield* get(
        `status=draft&group_id=${groupId}&tag=%C3%A9&platform=bluesky&approval=requested&time=none&sort=scheduled_at&order=asc&limit=1` +
          "&scheduled_from=2030-01-01T01:00%2B01:00&scheduled_to=20300201T000000Z" +
          "&created_from=2029-12-31T19:00:00-05:00&created_to=2030-02-01T00:00:00,5Z"
      )
      assert.strictEqual(status, 200)
      const january = DateTime.makeUnsafe("2030-01-01T00:00:00Z")
      assert.deepStrictEqual(searches, [
        {
          filters: {
            status: "draft",
            groupId,
            tag: "é",
            platform: "bluesky",
            scheduledFrom: january,
            scheduledTo: DateTime.makeUnsafe("2030-02-01T00:00:00Z"),
            createdFrom: january,
            createdTo: DateTime.makeUnsafe("2030-02-01T00:00:00.500Z"),
            approval: "requested",
            time: "none",
            createdBy: null,
            text: null
          },
          sort: "scheduled_at",
          order: "asc",
          limit: 1,
          maxBytes: 65_536,
          after: null
        }
      ])
    })
  )

  it.effect("An unescaped + before the offset of a time is read as one", () =>
    Effect.gen(function* () {
      const { get, searches } = yield* startLists
      yield* get("created_from=2030-01-01T01:00:00+01:00")
      assert.deepStrictEqual(searches[0]?.filters, {
        ...noFilters,
        createdFrom: DateTime.makeUnsafe("2030-01-01T00:00:00Z")
      })
    })
  )

  it.effect("Ranges that begin after their end get a 400 that names each, and empty ones are allowed", () =>
    Effect.gen(function* () {
      const { get } = yield* startLists
      const reversed = (name: string) => `${name}_from=2030-01-02T00:00:00Z&${name}_to=2030-01-01T23:59:59.999Z`
      const { body, status } = yield* get(`${reversed("scheduled")}&${reversed("created")}&page=2`)
      assert.deepStrictEqual([status, body.code], [400, "invalid_request"])
      assert.deepStrictEqual(errorPaths(body), [["scheduled_from"], ["created_from"], ["page"]])
      const empty = yield* get("created_from=2030-01-01T00:00:00Z&created_to=2030-01-01T01:00:00%2B01:00")
      assert.strictEqual(empty.status, 200)
    })
  )
})

describe("cursors of GET /v1/posts", () => {
  it.effect("A next_cursor continues its own list, and gets a 400 that names what differs in any other", () =>
    Effect.gen(function* () {
      const { get } = yield* startLists
      for (const list of lists) {
        const { body } = yield* get(list)
        assert.isString(body.next_cursor)
        for (const other of lists) {
          const continued = yield* get(`${other}&cursor=${body.next_cursor}`)
          assert.strictEqual(continued.status, list === other ? 200 : 400, `${list} continued as ${other}`)
          if (list !== other) assert.deepStrictEqual(errorPaths(continued.body), [["cursor"]])
        }
      }
      const { body } = yield* get("tag=a&limit=1")
      const differing = yield* get(`tag=b&order=asc&cursor=${body.next_cursor}`)
      assert.strictEqual(
        differing.body.errors[0].message,
        "The cursor is of a list with another tag, order; send the same parameters as for that list"
      )
    })
  )

  it.effect("A list continues under another limit, and with the same parameters in other words", () =>
    Effect.gen(function* () {
      const { get, searches } = yield* startLists
      const { body } = yield* get(`limit=1&group_id=${groupId}&sort=scheduled_at&created_from=2030-01-01T00:00:00Z`)
      const { status } = yield* get(
        `group_id=${groupId.toUpperCase()}&sort=scheduled_at&order=desc&created_from=2030-01-01T01:00:00%2B01:00&limit=5&cursor=${body.next_cursor}`
      )
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(searches[1]?.after, {
        id: PostId.make(postId),
        scheduledAt: DateTime.makeUnsafe("2030-01-31T09:00:00Z")
      })
    })
  )

  it.effect(
    "A cursor that names no list, as versions before gave out, continues lists with the newest first alone",
    () =>
      Effect.gen(function* () {
        const { get, searches } = yield* startLists
        const cursor = btoa(JSON.stringify({ v: 1, before: postId }))
        assert.strictEqual((yield* get(`status=draft&cursor=${cursor}`)).status, 200)
        assert.strictEqual((yield* get(`tag=release&cursor=${cursor}`)).status, 200)
        assert.deepStrictEqual(searches[0]?.after, { id: PostId.make(postId), scheduledAt: null })
        for (const order of ["order=asc", "sort=scheduled_at"]) {
          const { body, status } = yield* get(`${order}&cursor=${cursor}`)
          assert.deepStrictEqual([status, errorPaths(body)], [400, [["cursor"]]])
        }
      })
  )
})
