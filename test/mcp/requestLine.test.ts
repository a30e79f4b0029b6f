import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Struct } from "effect"
import { TestClock } from "effect/testing"
import { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import { MediaStore } from "../../src/media/store/MediaStore.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeKey, makeTeam, startOnDatabase } from "../support/http/team.ts"
import { capturedTelemetryLayer, Log, scrape } from "../support/telemetry/capturedTelemetry.ts"
import { agents, ask, callTool } from "./agent.ts"

const unknownPost = "019b0000-0000-7000-8000-000000000000"
const text = { content: "Nobody else reads this", platforms: ["bluesky"] }

/** What a request's line says of it, but for what every line does. */
const facts = (annotations: Readonly<Record<string, unknown>>) =>
  Struct.omit(annotations, ["request_id", "method", "route", "path", "duration_ms"])

/** The lines that are logged meanwhile. */
const logged = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const log = yield* Log
    const before = log.length
    yield* effect
    return log.slice(before)
  })

const counts = (series: ReadonlyMap<string, number>) =>
  Object.fromEntries(
    [...series].flatMap(([name, value]) => {
      const labels = /^http_request_duration_seconds_count\{method="(\w+)",route="(.+)",status="(\d+)"\}$/.exec(name)
      return labels === null || labels[2] === "/metrics" ? [] : [[labels.slice(1).join(" "), value] as const]
    })
  )

layer(Layer.provideMerge(databaseServerLayer({ others: agents }), capturedTelemetryLayer))(
  "the line of a tool's call",
  (it) => {
    it.effect("A call leaves one line with its tool, its post, and what the API answered", () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key, workspaceId } = yield* makeTeam
        const writing = (yield* makeKey(workspaceId, { scopes: ["posts:write"] })).key
        const { data } = yield* callTool(url, key, "create_post", text)
        const { id } = data
        const change = { id, etag: "1-draft", content: "Changed, and nobody reads this" }
        const rows = [
          [key, "get_workspace", {}, { api_status: 200 }],
          [key, "create_post", text, { api_status: 201, post_id: id }],
          [key, "create_post", { ...text, scheduled_at: "x" }, { error_code: "invalid_request" }],
          [key, "get_post", { id }, { api_status: 200, post_id: id }],
          [key, "get_post", { id: "Nobody" }, { error_code: "invalid_request" }],
          [key, "get_post", { id: unknownPost }, { api_status: 404, post_id: unknownPost, error_code: "not_found" }],
          [writing, "update_post", change, { api_status: 200, post_id: id }],
          // Reading it again is refused to a key that only writes, and is not what the call is for.
          [writing, "update_post", change, { api_status: 200, post_id: id }],
          [key, "update_post", change, { api_status: 412, post_id: id, error_code: "revision_mismatch" }],
          [key, "publish_post", { id, etag: "2-draft" }, { api_status: 202, post_id: id }],
          [key, "list_posts", { text: "Nobody" }, { api_status: 200 }],
          [key, "split_text", text, { api_status: 200 }]
        ] as const
        for (const [caller, tool, args, expected] of rows) {
          const lines = yield* logged(callTool(url, caller, tool, args))
          assert.deepStrictEqual(
            lines.map(({ annotations, message }) => [message, facts(annotations)]),
            [["POST /mcp 200", { tool, status: 200, ...expected }]]
          )
        }
      })
    )

    it.effect("A request that calls no tool leaves one line, which names none", () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key, workspaceId } = yield* makeTeam
        const reading = (yield* makeKey(workspaceId, { scopes: ["posts:read"] })).key
        const lines = yield* logged(
          Effect.all([
            ask(url, key, "tools/list"),
            callTool(url, reading, "publish_post"),
            callTool(url, key, `tool of ${key}`),
            ask(url, key, `method of ${key}`)
          ])
        )
        assert.deepStrictEqual(
          lines.map(({ annotations, message }) => [message, facts(annotations)]),
          [
            ["POST /mcp 200", { status: 200 }],
            ["POST /mcp 200", { status: 200 }],
            ["POST /mcp 200", { status: 200 }],
            ["POST /mcp 404", { status: 404 }]
          ]
        )
      })
    )

    it.effect("No line holds a key, or a text that a call has", () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const lines = yield* logged(
          Effect.forEach(
            [
              ["create_post", { ...text, tags: ["nobody's tag"] }],
              ["create_post", { ...text, "Nobody's member": 1 }],
              ["create_post", { content: key, platforms: ["bluesky"] }],
              ["get_post", { id: key }],
              ["list_posts", { text: "Nobody else" }],
              ["list_posts", { cursor: key }]
            ] as const,
            ([tool, args]) => callTool(url, key, tool, args)
          )
        )
        assert.lengthOf(lines, 6)
        const all = JSON.stringify(lines)
        assert.notInclude(all, key)
        assert.notMatch(all, /nobody/i)
      })
    )

    it.effect("A call counts once in the metrics, and what its tool asks of the API once under its own route", () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const before = counts(yield* scrape(url))
        yield* callTool(url, key, "get_workspace")
        yield* callTool(url, key, "get_post", { id: unknownPost })
        // A response is formatted once a second.
        yield* TestClock.adjust("1 second")
        const after = counts(yield* scrape(url))
        const added = Object.entries(after).flatMap(([name, value]) => {
          const more = value - (before[name] ?? 0)
          return more === 0 ? [] : [[name, more] as const]
        })
        assert.deepStrictEqual(Object.fromEntries(added), {
          "POST /mcp 200": 2,
          "GET /v1/me 200": 1,
          "GET /v1/integrations 200": 1,
          "GET /v1/posts/:id 404": 1
        })
      })
    )

    it.effect("The line of a call whose client leaves before the end names its tool", () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const left = yield* Deferred.make<void>()
        const { key } = yield* makeTeam
        const slow = Layer.merge(
          Layer.mock(MediaLibrary, {
            quota: 0,
            addFromUrl: () =>
              Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
                Effect.onInterrupt(() => Deferred.succeed(left, undefined))
              )
          }),
          Layer.mock(MediaStore, {})
        )
        const lines = yield* logged(
          // The server ends once it is done with the request.
          Effect.scoped(
            Effect.gen(function* () {
              const url = yield* startOnDatabase({ others: agents, media: slow })
              const calling = yield* Effect.forkChild(
                callTool(url, key, "add_media", { url: "https://images.example/a.png", alt: "A picture" })
              )
              yield* Deferred.await(begun)
              yield* Fiber.interrupt(calling)
              yield* Deferred.await(left)
            })
          )
        )
        assert.deepStrictEqual(
          lines.map(({ annotations, message }) => [message, facts(annotations)]),
          [["POST /mcp 499", { tool: "add_media", status: 499 }]]
        )
      })
    )
  }
)
