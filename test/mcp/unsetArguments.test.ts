import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { errorPaths, keyHeaders, send } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeTeam } from "../support/http/team.ts"
import { agentServerLayer, ask, callTool } from "./agent.ts"

// Not policed: most of its calls are refused for their arguments, and other files run the statements of the others.

interface Tool {
  readonly name: string
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>>
    readonly required?: ReadonlyArray<string>
  }
}

const listTools = (url: string, key: string) =>
  Effect.map(ask(url, key, "tools/list"), ({ body }): ReadonlyArray<Tool> => body.result.tools)

const later = "1970-01-31T09:00:00Z"

layer(agentServerLayer())("arguments that are not set", (it) => {
  it.effect("Every tool counts null as unset, in each optional argument, and names what is missing", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const tools = yield* listTools(url, key)
      assert.strictEqual(tools.length, 13)
      for (const { inputSchema, name } of tools) {
        const nothing = Object.fromEntries(Object.keys(inputSchema.properties ?? {}).map((member) => [member, null]))
        const { data, isError } = yield* callTool(url, key, name, nothing)
        const required = inputSchema.required ?? []
        assert.strictEqual(isError, required.length > 0, name)
        if (isError)
          assert.sameDeepMembers(
            errorPaths(data),
            required.map((member) => [member]),
            name
          )
      }
    })
  )

  it.effect("Null, JSON text and empty values in any place are refused with that place, or taken, by every tool", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const tools = yield* listTools(url, key)
      const values = [
        null,
        [null],
        [[]],
        [{}],
        ["null"],
        {},
        { a: null },
        "",
        " ",
        "null",
        "[null]",
        "{}",
        "[]",
        0,
        false
      ]
      for (const { inputSchema, name } of tools) {
        for (const member of Object.keys(inputSchema.properties ?? {})) {
          for (const value of values) {
            const { data, isError } = yield* callTool(url, key, name, { [member]: value })
            if (!isError) continue
            const what = `${name} ${member} ${JSON.stringify(value)}: ${JSON.stringify(data)}`
            assert.notInclude(["internal", "unavailable", undefined], data.code, what)
            if (data.code === "invalid_request") assert.isAbove(errorPaths(data).length, 0, what)
          }
        }
      }
    })
  )

  it.effect.each([
    [{ media: [null] }, ["media", 0]],
    [{ platforms: [null] }, ["platforms", 0]],
    [{ platforms: "[null]" }, ["platforms", 0]],
    [{ tags: ["a", null] }, ["tags", 1]],
    [{ media: [{ id: null }] }, ["media", 0, "id"]],
    [{ thread: [null] }, ["thread", 0]],
    [{ thread: [{ content: "b", media: [null] }] }, ["thread", 0, "media", 0]]
  ] as const)("The place of null in a list is named: %j", ([members, path]) =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const call = { content: "a", platforms: ["bluesky"], ...members }
      const { data, isError } = yield* callTool(url, key, "create_post", call)
      assert.isTrue(isError)
      assert.deepStrictEqual(errorPaths(data), [path], JSON.stringify(data))
    })
  )

  it.effect("A call without arguments, or with null for them, is one with no argument set", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      for (const params of [{}, { arguments: null }, { arguments: "{}" }]) {
        const { body } = yield* ask(url, key, "tools/call", { name: "get_workspace", ...params })
        assert.isDefined(body.result?.structuredContent, JSON.stringify(params))
      }
    })
  )

  it.effect(
    "Clients of earlier revisions get empty lists of what the server does not have, and errors as answers",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        for (const version of ["2025-11-25", "2024-11-05"]) {
          const askLegacy = (method: string, params: Readonly<Record<string, unknown>> = {}) =>
            send(`${url}/mcp`, {
              method: "POST",
              headers: { ...keyHeaders(key), "content-type": "application/json", "mcp-protocol-version": version },
              body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
            })
          assert.deepStrictEqual((yield* askLegacy("prompts/list")).body.result, { prompts: [] })
          assert.deepStrictEqual((yield* askLegacy("logging/setLevel", { level: "info" })).body.result, {})
          assert.deepStrictEqual((yield* askLegacy("resources/list")).body.result.resources, [])
          assert.deepStrictEqual((yield* askLegacy("resources/templates/list")).body.result.resourceTemplates, [])
          for (const method of ["no/such", "tasks/list", "resources/subscribe", "completion/complete", "prompts/get"]) {
            const { body, status } = yield* askLegacy(method)
            assert.strictEqual(status, 200, method)
            assert.isNumber(body.error.code, method)
          }
        }
      })
  )

  it.effect("Arrays, objects, numbers and booleans may come as JSON text", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const { data } = yield* callTool(url, key, "create_post", {
        content: "[1]",
        platforms: '["bluesky"]',
        platform_overrides: '{"bluesky":"2"}',
        tags: '["a"]',
        occurrence: "2"
      })
      const read = yield* callTool(url, key, "get_post", { id: data.id })
      assert.deepInclude(read.data, { content: "[1]", tags: ["a"], platform_overrides: { bluesky: "2" } })
      const listed = yield* callTool(url, key, "list_posts", { limit: "1", status: null })
      assert.strictEqual(listed.data.posts.length, 1)
    })
  )

  it.effect("A change leaves a time alone where null is sent for it, and remove_time removes it", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const created = yield* callTool(url, key, "create_post", {
        content: "Hello",
        platforms: ["bluesky"],
        schedule_at: later,
        status: "draft"
      })
      const { etag, id } = created.data
      const change = (args: Readonly<Record<string, unknown>>) => callTool(url, key, "update_post", { id, ...args })
      const changed = yield* change({ etag, content: "Better", scheduled_at: null, media: null, status: null })
      assert.deepInclude(changed.data, { etag: "2-draft", scheduled_at: "1970-01-31T09:00:00.000Z" })
      const nothing = yield* change({ etag: changed.data.etag, scheduled_at: null })
      assert.include(nothing.data.message, "nothing changed")
      const both = yield* change({ etag: changed.data.etag, scheduled_at: later, remove_time: true })
      assert.deepStrictEqual(errorPaths(both.data), [["remove_time"]])
      const removed = yield* change({ etag: changed.data.etag, remove_time: true })
      assert.isNull(removed.data.scheduled_at)
    })
  )

  it.effect("Null in what the protocol itself has counts as unset too", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const askRaw = (body: object) =>
        send(`${url}/mcp`, {
          method: "POST",
          headers: { ...keyHeaders(key), "content-type": "application/json", "mcp-protocol-version": "2025-06-18" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body })
        })
      for (const params of [null, { cursor: null }, { _meta: null }, { _meta: { progressToken: null } }])
        assert.isDefined((yield* askRaw({ method: "tools/list", params })).body.result?.tools, JSON.stringify(params))
      for (const args of ["", "null", null])
        assert.isDefined(
          (yield* askRaw({ method: "tools/call", params: { name: "get_workspace", arguments: args } })).body.result
            ?.structuredContent
        )
    })
  )

  it.effect("Arguments as JSON text of any depth are answered with their id", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      for (const levels of [40, 5_000, 100_000]) {
        const text = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
        const { body, status } = yield* ask(url, key, "tools/call", { name: "get_workspace", arguments: text })
        assert.deepStrictEqual([status, body.error?.code, body.id], [400, -32_600, 7], String(levels))
      }
    })
  )
})
