import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey } from "../../support/http/team.ts"

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

layer(databaseServerLayer(), { excludeTestServices: true })("turns of writes", (it) => {
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
          for (let round = 0; round < 3; round++) {
            assert.strictEqual((yield* other.create).status, 201)
            assert.strictEqual((yield* other.change(`${round}`)).status, 200)
            assert.strictEqual((yield* other.read).status, 200)
          }
          assert.strictEqual(ended, 0)
        })
      )
    })
  )
})
