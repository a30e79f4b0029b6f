import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { nextPostId } from "../../src/domain/ids.ts"
import { largeLists } from "../../src/http/handlers/ListBudget.ts"
import type { Posts } from "../../src/repo/posts/Posts.ts"
import { connectRaw } from "../support/http/rawConnection.ts"
import { aPostJson, postId } from "../support/http/samplePosts.ts"
import { apiKey, holder, repoWithKey, startServer } from "../support/http/server.ts"
import { capturedTelemetryLayer, scrape } from "../support/telemetry/capturedTelemetry.ts"
import { agents, callTool } from "./agent.ts"

/** Two of these are more than a list may hold outside of the budget. */
const content = "a".repeat(60_000)

const largePosts: Posts["list"] = (_, { limit }) =>
  Effect.map(
    Effect.forEach([1, 2, 3, 4].slice(0, limit), () => nextPostId),
    (ids) => ({ posts: ids.map((id) => aPostJson({ id, content })), more: true })
  )

const serverWith = (posts: Partial<Posts>) =>
  startServer({
    repo: repoWithKey({ posts, targets: { backlog: Effect.succeed({ due: 0, oldest: null, oldestUpload: null }) } }),
    others: agents
  })

/** Asks for a page first, so that connections are served. */
const countLists = (url: string) =>
  Effect.map(Effect.andThen(scrape(url), Metric.value(largeLists)), ({ value }) => value)

const waitForLists = (url: string, count: number) =>
  Effect.repeat(countLists(url), { until: (lists) => lists === count })

/** As many large lists as a workspace may read at once. */
const maxLists = 51

describe("the budget of large lists", () => {
  it.effect("A tool that lists large posts holds one share of the budget at a time, and gives the last one back", () =>
    Effect.gen(function* () {
      const held: Array<number> = []
      const server = yield* Deferred.make<string>()
      const list: Posts["list"] = (...query) =>
        Effect.gen(function* () {
          held.push(yield* countLists(yield* Deferred.await(server)))
          return yield* largePosts(...query)
        })
      const url = yield* serverWith({ list })
      yield* Deferred.succeed(server, url)
      const { data } = yield* callTool(url, apiKey, "list_posts", { limit: 50 })
      // Of several pages, as many as fit a result.
      assert.isAbove(data.posts.length, 20)
      assert.sameMembers([...new Set(held)], [0, 1])
      assert.strictEqual(yield* countLists(url), 0)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("A client that leaves while its tool reads a large list gives its share of the budget back", () =>
    Effect.gen(function* () {
      const reading = yield* Deferred.make<void>()
      let batches = 0
      const list: Posts["list"] = (...query) =>
        ++batches === 1 ? largePosts(...query) : Effect.andThen(Deferred.succeed(reading, undefined), Effect.never)
      const url = yield* serverWith({ list })
      const calling = yield* Effect.forkChild(callTool(url, apiKey, "list_posts"))
      yield* Deferred.await(reading)
      assert.strictEqual(yield* countLists(url), 1)
      yield* Fiber.interrupt(calling)
      yield* waitForLists(url, 0)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )

  it.effect("While other lists use the budget up a tool is told to try again, and lists again after that", () =>
    Effect.gen(function* () {
      const url = yield* serverWith({
        list: largePosts,
        listGroup: () => largePosts(holder.workspaceId, { limit: 4, maxBytes: 0, before: null, status: null })
      })
      const readers = yield* Scope.make()
      yield* Effect.forEach(
        Array.from({ length: maxLists }),
        () =>
          Effect.map(connectRaw(url, { unread: true }), (connection) =>
            connection.send(
              `GET /v1/posts/group/${postId} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`
            )
          ),
        { discard: true }
      ).pipe(Scope.provide(readers))
      yield* waitForLists(url, maxLists)
      const refused = yield* Effect.forkChild(callTool(url, apiKey, "list_posts"))
      while (refused.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* scrape(url)
      }
      const { data, isError } = yield* Fiber.join(refused)
      assert.isTrue(isError)
      assert.deepInclude(data, { code: "unavailable", retry_after_seconds: 5 })
      yield* Scope.close(readers, Exit.void)
      yield* waitForLists(url, 0)
      assert.isFalse((yield* callTool(url, apiKey, "list_posts")).isError)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
