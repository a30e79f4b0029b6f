import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import { countChanges, storedRows } from "../http/hostileRequests/hostileWorld.ts"
import { errorPaths, withoutCodes, keyHeaders, send, sendJson } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeTeam } from "../support/http/team.ts"
import { agentServerLayer, callTool, headersOf, message } from "./agent.ts"

// Not policed: other files run all of its statements.

/** Calls create_post with JSON as it is written. */
const callRaw = Effect.fnUntraced(function* (url: string, key: string, json: string) {
  const envelope = JSON.stringify(message("tools/call", { name: "create_post", arguments: 0 }))
  return yield* send(`${url}/mcp`, {
    method: "POST",
    headers: headersOf(key, "tools/call", "create_post"),
    body: envelope.replace('"arguments":0', `"arguments":${json}`)
  })
})

const withMember = (name: string, json: string) => `{"content":"Hello","platforms":["twitter"],"${name}":${json}}`

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`

/** The paths that each of these is refused for. */
const refusals: Readonly<
  Record<string, readonly [json: string, paths: ReadonlyArray<ReadonlyArray<string | number>>]>
> = {
  "a fraction of an occurrence": [withMember("occurrence", "1.5"), [["occurrence"]]],
  "an occurrence beyond its bound": [withMember("occurrence", "10001"), [["occurrence"]]],
  "an escaped NUL": [withMember("tags", '["\\u0000"]'), [["tags", 0]]],
  "an unpaired surrogate": [withMember("tags", '["\\ud83d"]'), [["tags", 0]]],
  "the member __proto__": [withMember("__proto__", '{"status":"scheduled"}'), [["__proto__"]]],
  "the member constructor": [withMember("constructor", '{"prototype":{"status":"scheduled"}}'), [["constructor"]]],
  "__proto__ in the overrides": [
    withMember("platform_overrides", '{"__proto__":{"twitter":"evil"}}'),
    [["platform_overrides", "__proto__"]]
  ],
  "fifteen hundred platforms": [
    `{"content":"Hello","platforms":${JSON.stringify(Array(1_500).fill("twitter"))}}`,
    [["platforms"]]
  ],
  "an empty object": ["{}", [["content"], ["platforms"]]]
}

/** What the protocol refuses before a tool is called. */
const protocolErrors: Readonly<Record<string, readonly [json: string, status: number, code: number]>> = {
  "three thousand platforms": [
    `{"content":"Hello","platforms":${JSON.stringify(Array(3_000).fill("twitter"))}}`,
    400,
    -32_600
  ],
  "objects nested 40 deep": [withMember("platform_settings", nested(40)), 400, -32_600],
  "objects nested a hundred thousand deep": [withMember("platform_settings", nested(100_000)), 400, -32_600],
  "a string": ['"Hello"', 200, -32_602],
  "an array": ["[1]", 200, -32_602],
  "a number": ["1", 200, -32_602],
  "a number beyond the range of a double": [withMember("tags", "[1e999]"), 200, -32_602],
  "a number of a hundred thousand digits": [withMember("occurrence", "9".repeat(100_000)), 200, -32_602],
  "an object that is cut off": ['{"content":"a"', 400, -32_700]
}

layer(agentServerLayer())("arguments as they are written", (it) => {
  it.effect.each(Object.entries(refusals))(
    "Arguments with %s are refused with their paths, and store nothing",
    ([, [json, paths]]) =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const before = yield* storedRows
        const { body, status } = yield* callRaw(url, key, json)
        assert.strictEqual(status, 200)
        assert.isTrue(body.result.isError)
        const error = JSON.parse(body.result.content[0].text)
        assert.deepStrictEqual([error.code, errorPaths(error)], ["invalid_request", paths])
        assert.deepStrictEqual(countChanges(before, yield* storedRows), {})
      })
  )

  it.effect.each(Object.entries(protocolErrors))(
    "Arguments that are %s are refused in the words of the protocol",
    ([, [json, expected, code]]) =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const { body, status } = yield* callRaw(url, key, json)
        assert.deepStrictEqual([status, body.error?.code], [expected, code])
      })
  )

  it.effect("Of a member that is there twice the last one counts, as in the API", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const { body } = yield* callRaw(url, key, '{"content":"first","platforms":["bluesky"],"content":"second"}')
      const { data } = yield* callTool(url, key, "get_post", { id: body.result.structuredContent.id })
      assert.strictEqual(data.content, "second")
    })
  )

  it.effect("A post that can't be created is refused at once for all that the API would name", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const args = { content: " ", platforms: ["x"], platform_overrides: { bluesky: "Hello" }, status: "scheduled" }
      const { body } = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(key), args)
      assert.deepStrictEqual(errorPaths(body), [["platforms", 0], ["content"], ["schedule_at"]])
      const { data } = yield* callTool(url, key, "create_post", args)
      assert.deepStrictEqual([data.detail, data.errors], [body.detail, withoutCodes(body.errors)])
      assert.deepStrictEqual(
        errorPaths((yield* callTool(url, key, "check_post", Struct.omit(args, ["status"]))).data),
        [["platforms", 0], ["content"]]
      )
    })
  )

  it.effect(
    "An error that names arguments of any length stays within 32 kB, and keeps its code and its request's id",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const manyNames = Object.fromEntries(
          Array.from({ length: 99 }, (_, index) => [`${index}${"\u0001".repeat(1_000)}`, 1])
        )
        for (const members of [{ ["n".repeat(100_000)]: 1 }, { ["\u0001".repeat(100_000)]: 1 }, manyNames]) {
          for (const args of [
            members,
            { platform_overrides: members },
            { thread: [{ content: "Hello", ...members }] }
          ]) {
            const { data, isError } = yield* callTool(url, key, "create_post", {
              content: "Hello",
              platforms: ["twitter"],
              ...args
            })
            assert.isTrue(isError)
            assert.deepInclude(data, { code: "invalid_request", truncated: true })
            assert.match(data.request_id, /^[-0-9a-f]{36}$/)
            assert.isAtMost(Buffer.byteLength(JSON.stringify(data)), 32_000)
          }
        }
      })
  )
})
