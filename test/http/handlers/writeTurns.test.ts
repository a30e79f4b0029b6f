import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { FetchHttpClient, HttpClient, HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { CurrentRequester } from "../../../src/domain/requester.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"

// Not policed: it is about connections and waits, which the policies change. Other files run its statements.

const makeCaller = Effect.fnUntraced(function* () {
  const url = `${yield* ServerUrl}/v1/posts`
  const headers = keyHeaders((yield* makeKey(yield* makeWorkspace())).key)
  const create = sendJson(url, "POST", headers, { content: "a post", platforms: ["twitter"] })
  const { id }: { readonly id: string } = (yield* create).body
  return {
    id,
    create,
    read: sendJson(`${url}/${id}`, "GET", headers),
    change: (text: string) => sendJson(`${url}/${id}`, "PATCH", headers, { content: text }),
    publish: sendJson(`${url}/${id}/publish`, "POST", headers)
  }
})

/** Holds the lock of a post's row until the scope closes. */
const holdPost = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [held, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holder = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.andThen(
        sql`SELECT FROM posts WHERE id = ${id}::uuid FOR UPDATE`,
        Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(done))
      )
    )
  )
  yield* Effect.addFinalizer(() => Effect.andThen(Deferred.succeed(done, undefined), Effect.exit(Fiber.join(holder))))
  yield* Deferred.await(held)
})

/** Shows the requester of a route outside the API, such as of the pages for OAuth. */
const others = HttpRouter.add(
  "GET",
  "/requester",
  Effect.map(CurrentRequester, (requester) => HttpServerResponse.text(String(requester)))
)

layer(databaseServerLayer({ others }), { excludeTestServices: true })("turns of writes", (it) => {
  it.effect("A route outside the API takes the turns of unknown callers", () =>
    Effect.gen(function* () {
      const response = yield* HttpClient.get(`${yield* ServerUrl}/requester`)
      assert.strictEqual(yield* response.text, "unknown")
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.effect("Changes that wait for their own workspace's places or row say so, and end in time", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const began = performance.now()
      const answers = yield* Effect.scoped(
        Effect.andThen(
          holdPost(caller.id),
          Effect.forEach(["a", "b", "c", "d"], (text) => caller.change(text), { concurrency: "unbounded" })
        )
      )
      assert.isBelow(performance.now() - began, 8_000)
      const busy = answers.filter(({ body }) => `${body.detail}`.startsWith("Other requests of this workspace"))
      assert.lengthOf(busy, 1)
      for (const { body, status } of answers) {
        assert.strictEqual(status, 503)
        assert.notInclude(body.detail, "does not answer")
      }
    })
  )

  it.effect("Another workspace writes and reads while many changes of one workspace wait for a locked row", () =>
    Effect.gen(function* () {
      const [flooding, other] = [yield* makeCaller(), yield* makeCaller()]
      let ended = 0
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* holdPost(flooding.id)
          const flood = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? flooding.change(`${n}`) : flooding.publish))
          const counted = Effect.tap(Effect.void, () => Effect.sync(() => ended++))
          yield* Effect.forkScoped(
            Effect.forEach(flood, (request) => Effect.andThen(request, counted), { concurrency: "unbounded" })
          )
          assert.strictEqual((yield* other.create).status, 201)
          assert.strictEqual((yield* other.change("changed")).status, 200)
          assert.strictEqual((yield* other.read).status, 200)
          assert.strictEqual(ended, 0)
        })
      )
    })
  )
})
