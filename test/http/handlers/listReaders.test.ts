import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { nextPostId } from "../../../src/domain/ids.ts"
import { largeLists } from "../../../src/http/handlers/ListBudget.ts"
import type { Posts } from "../../../src/repo/posts/Posts.ts"
import { call, keyHeaders } from "../../support/http/client.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"
import { aPostJson, postId } from "../../support/http/samplePosts.ts"
import { apiKey, repoWithKey, startServer } from "../../support/http/server.ts"
import { capturedTelemetryLayer, Log, scrape } from "../../support/telemetry/capturedTelemetry.ts"

const content = "a".repeat(60_000)

/** A group that never ends. */
const endless: Posts["listGroup"] = () =>
  Effect.map(
    Effect.forEach([1, 2, 3, 4], () => nextPostId),
    (ids) => ({ posts: ids.map((id) => aPostJson({ id, content })), more: true })
  )

const path = `/v1/posts/group/${postId}`
const requestText = `GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`

/** Requests the endless group but doesn't read the response. */
const readNothing = Effect.fnUntraced(function* (url: string) {
  const connection = yield* connectRaw(url, { unread: true })
  connection.send(requestText)
})

/** Asks for a page between two looks, so that connections are served. */
const waitForLists = (url: string, count: number) =>
  Effect.andThen(scrape(url), Metric.value(largeLists)).pipe(Effect.repeat({ until: ({ value }) => value === count }))

/** More readers than one workspace is allowed at once. */
const readers = 60
/** The number of lists that one workspace is allowed to read at once. */
const maxLists = 51

const setup = {
  repo: repoWithKey({
    posts: { listGroup: endless },
    targets: { backlog: Effect.succeed({ due: 0, oldest: null, oldestUpload: null }) }
  })
}

describe("readers of large lists", () => {
  it.effect("Clients that don't read use up their workspace's budget, which is given back when they disconnect", () =>
    Effect.gen(function* () {
      const url = yield* startServer(setup)
      const slow = yield* Scope.make()
      yield* Effect.forEach(Array.from({ length: readers }), () => readNothing(url), { discard: true }).pipe(
        Scope.provide(slow)
      )
      yield* waitForLists(url, maxLists)
      const refused = yield* Effect.forkChild(call(`${url}${path}`))
      while (refused.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* scrape(url)
      }
      const { body, headers, status } = yield* Fiber.join(refused)
      assert.deepStrictEqual([status, body.code, headers.get("retry-after")], [503, "unavailable", "5"])
      yield* Scope.close(slow, Exit.void)
      yield* waitForLists(url, 0)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A server that stops ends the responses of clients that don't read", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* startServer(setup).pipe(Scope.provide(scope))
      yield* readNothing(url)
      yield* waitForLists(url, 1)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      while (closing.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* Effect.yieldNow
      }
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A list that the database leaves unfinished ends with a broken connection, and is logged", () =>
    Effect.gen(function* () {
      let reads = 0
      const listGroup: Posts["listGroup"] = (...query) =>
        ++reads < 3
          ? endless(...query)
          : Effect.fail(new DatabaseUnavailable({ operation: "listing a group", cause: "gone" }))
      const url = yield* startServer({ repo: repoWithKey({ posts: { listGroup } }) })
      const outcome = yield* Effect.exit(
        Effect.tryPromise(async () => (await fetch(`${url}${path}`, { headers: keyHeaders(apiKey) })).text())
      )
      assert.isTrue(Exit.isFailure(outcome))
      assert.isTrue((yield* Log).some(({ cause }) => cause.includes("listing a group")))
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A list that the database does not begin gets a 503", () =>
    Effect.gen(function* () {
      const unavailable = Effect.fail(new DatabaseUnavailable({ operation: "listing a group", cause: "gone" }))
      const url = yield* startServer({ repo: repoWithKey({ posts: { listGroup: () => unavailable } }) })
      assert.strictEqual((yield* call(`${url}${path}`)).status, 503)
    })
  )
})
