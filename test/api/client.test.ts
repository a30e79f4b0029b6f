import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { InvalidState, NotFound } from "../../src/domain/errors.ts"
import { makeClient } from "../support/http/typedClient.ts"
import { apiKey, baseUrl, startServer, repoWithKey } from "../support/http/server.ts"
import { aPostJson, postId } from "../support/http/samplePosts.ts"

describe("HttpApiClient of the contract", () => {
  it.effect("The client sends and receives the domain's types", () =>
    Effect.gen(function* () {
      const at = DateTime.makeUnsafe("1970-01-01T01:00:00Z")
      const repo = repoWithKey({
        posts: {
          createOnce: (_workspace, { status, scheduledAt, platforms }) =>
            Effect.succeed({ result: { id: postId, status, scheduled_at: scheduledAt, platforms }, replayed: false }),
          list: (_workspace, { limit, before }) =>
            Effect.succeed({
              posts: Array.from({ length: before === null ? limit : 1 }, () => aPostJson()),
              more: before === null
            })
        }
      })
      const client = yield* makeClient(yield* startServer({ repo }), apiKey)
      const created = yield* client.posts.create({
        headers: {},
        payload: { content: "Hello", platforms: ["twitter"], schedule_at: at }
      })
      assert.deepStrictEqual(created.body, {
        id: postId,
        status: "scheduled",
        scheduled_at: at,
        platforms: ["twitter"]
      })
      assert.strictEqual(created.headers.location, `${baseUrl}/v1/posts/${postId}`)
      const first = yield* client.posts.list({ query: { limit: 2 } })
      assert.lengthOf(first.data, 2)
      assert.isNotNull(first.next_cursor)
      const next = yield* client.posts.list({
        query: { limit: 2, ...(first.next_cursor && { cursor: first.next_cursor }) }
      })
      assert.isNull(next.next_cursor)
    })
  )

  it.effect("The client fails with the documented problem, identified by its tag", () =>
    Effect.gen(function* () {
      const repo = repoWithKey({
        posts: {
          getJson: () => Effect.fail(new NotFound({ message: "Gone" })),
          remove: () => Effect.fail(new InvalidState({ message: "Being sent" }))
        }
      })
      const url = yield* startServer({ repo })
      const client = yield* makeClient(url, apiKey)
      const missing = yield* Effect.flip(client.posts.get({ params: { id: postId } }))
      assert.strictEqual(missing._tag, "NotFound")
      assert.strictEqual(missing.message, "Gone")
      const invalidState = yield* Effect.flip(client.posts.delete({ headers: {}, params: { id: postId } }))
      assert.strictEqual(invalidState._tag, "InvalidState")
      const unauthenticated = yield* makeClient(url, "sps_nonsense")
      const unauthorized = yield* Effect.flip(unauthenticated.integrations.list({ query: {} }))
      assert.strictEqual(unauthorized._tag, "Unauthorized")
    })
  )
})
