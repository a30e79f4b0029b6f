import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { databaseServerLayer, makeKey, notify } from "../../support/http/team.ts"

// Not policed: it is about connections and waits, which the policies change. Other files run its statements.

const makeCaller = Effect.fnUntraced(function* (texts: ReadonlyArray<string>) {
  const url = yield* ServerUrl
  const workspaceId = yield* makeWorkspace()
  const headers = keyHeaders((yield* makeKey(workspaceId)).key)
  yield* notify(workspaceId)
  yield* Effect.forEach(texts, (content) =>
    sendJson(`${url}/v1/posts`, "POST", headers, { content, platforms: ["twitter"] })
  )
  return ["posts?limit=50", "notifications"].map((path) => sendJson(`${url}/v1/${path}`, "GET", headers))
})

layer(databaseServerLayer({ rateLimitPerMinute: 100_000 }), { excludeTestServices: true })("turns of pages", (it) => {
  it.effect("First pages and notifications come within a second while another workspace asks for many", () =>
    Effect.gen(function* () {
      const flooding = yield* makeCaller(Array.from({ length: 20 }, (_, n) => `${n} `.repeat(1_500)))
      const own = yield* makeCaller(["a post"])
      // The first requests connect.
      yield* Effect.all(own)
      const requests = Array.from({ length: 20 }, () => flooding).flat()
      const flood = yield* Effect.forkChild(
        Effect.forEach(requests, (request) => Effect.forever(request), { concurrency: "unbounded" })
      )
      yield* Effect.all(flooding)
      for (const request of own) {
        const began = performance.now()
        const { body, status } = yield* request
        assert.isBelow(performance.now() - began, 1_000)
        assert.strictEqual(status, 200)
        assert.lengthOf(body.data, 1)
      }
      yield* Fiber.interrupt(flood)
    })
  )
})
