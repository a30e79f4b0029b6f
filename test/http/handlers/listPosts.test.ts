import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PostId } from "../../../src/domain/ids.ts"
import { call, errorPaths } from "../../support/http/client.ts"
import { aPostJson, noPosts, postId } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const groupId = "01a1fc17-dc2e-777d-ad63-000000000001"

describe("GET /v1/posts", () => {
  const ids = Array.from({ length: 25 }, (_, index) =>
    PostId.make(`01a1fc17-dc2e-777d-ad63-${String(99 - index).padStart(12, "0")}`)
  )

  /** A Repo with these posts, newest first. */
  const repo = repoWithKey({
    posts: {
      list: (_workspace, { limit, before }) =>
        Effect.sync(() => {
          const rest = before === null ? ids : ids.slice(ids.indexOf(before) + 1)
          return { posts: rest.slice(0, limit).map((id) => aPostJson({ id })), more: rest.length > limit }
        })
    }
  })

  it.effect("A page has 20 posts by default, and as many as the limit says otherwise", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo })
      assert.lengthOf((yield* call(`${url}/v1/posts`)).body.data, 20)
      assert.lengthOf((yield* call(`${url}/v1/posts?limit=3`)).body.data, 3)
      assert.lengthOf((yield* call(`${url}/v1/posts?limit=1000`)).body.data, 25)
    })
  )

  it.effect.each([1, 4, 5, 24, 25])(
    "Pages of %i linked by next_cursor contain every post once, and end with null",
    (limit) =>
      Effect.gen(function* () {
        const url = yield* startServer({ repo })
        const listed: Array<string> = []
        let cursor = ""
        do {
          const { body } = yield* call(`${url}/v1/posts?limit=${limit}${cursor}`)
          listed.push(...body.data.map((post: { id: string }) => post.id))
          cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`
        } while (cursor !== "")
        assert.deepStrictEqual(listed, ids)
      })
  )

  it.effect("The status in the query filters the list", () =>
    Effect.gen(function* () {
      const filters: Array<string | null> = []
      const url = yield* startServer({
        repo: repoWithKey({
          posts: {
            list: (_workspace, { status }) =>
              Effect.sync(() => {
                filters.push(status)
                return noPosts
              })
          }
        })
      })
      for (const status of ["draft", "scheduled", "publishing", "published", "failed"]) {
        assert.deepStrictEqual((yield* call(`${url}/v1/posts?status=${status}`)).body, { data: [], next_cursor: null })
      }
      yield* call(`${url}/v1/posts`)
      assert.deepStrictEqual(filters, ["draft", "scheduled", "publishing", "published", "failed", null])
    })
  )
})

describe("page numbers in GET /v1/posts", () => {
  it.effect("The parameters page and offset get a 400 that names cursor, and other unknown ones are ignored", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ posts: { list: () => Effect.succeed(noPosts) } }) })
      for (const [query, names] of [
        ["page=0", ["page"]],
        ["offset=20", ["offset"]],
        ["limit=10&page=2&offset=", ["page", "offset"]]
      ] as const) {
        const { body, status } = yield* call(`${url}/v1/posts?${query}`)
        assert.deepStrictEqual([status, body.code], [400, "invalid_request"])
        assert.deepStrictEqual(
          errorPaths(body),
          names.map((name) => [name])
        )
        for (const { message } of body.errors) assert.match(message, /cursor/)
      }
      assert.strictEqual((yield* call(`${url}/v1/posts?sorted=new&pages=1`)).status, 200)
    })
  )
})

describe("GET /v1/posts/group/{group_id}", () => {
  it.effect("A group's posts are returned as data, which is empty for an unknown group", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          listGroup: (_workspace, id) =>
            Effect.succeed(id === groupId ? { posts: [aPostJson()], more: false } : noPosts)
        }
      })
      const url = yield* startServer({ repo })
      assert.lengthOf((yield* call(`${url}/v1/posts/group/${groupId}`)).body.data, 1)
      assert.deepStrictEqual((yield* call(`${url}/v1/posts/group/${postId}`)).body, { data: [] })
    })
  )
})
