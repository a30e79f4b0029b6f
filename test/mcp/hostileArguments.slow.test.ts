import { assert, layer } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Predicate, Struct } from "effect"
import { countChanges, storedRows } from "../http/hostileRequests/hostileWorld.ts"
import { type ClientResponse, errorPaths, keyHeaders, sendJson } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeTeam } from "../support/http/team.ts"
import { agentServerLayer, ask, callTool, type ToolResult } from "./agent.ts"
import { hostileChangedMembers, hostileMembers, hostileNewMembers } from "./hostileArguments.ts"

/** What a post consists of, whoever stored it. */
const stored = Effect.fnUntraced(function* (url: string, key: string, id: string) {
  const { body } = yield* sendJson(`${url}/v1/posts/${id}`, "GET", keyHeaders(key))
  const { content, media, platform_overrides, platform_settings, revision, scheduled_at, status, tags, thread } =
    body.data
  return { content, media, platform_overrides, platform_settings, revision, scheduled_at, status, tags, thread }
})

/** Members without those that are null, which means that they are absent and is not listed. */
const withoutNull = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNull)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNull(member)]]))
  )
}

/** Whether arguments fit the schema that a tool is listed with. */
const makeFits = Effect.fnUntraced(function* (url: string, key: string, tool: string) {
  const { body } = yield* ask(url, key, "tools/list")
  const { inputSchema } = body.result.tools.find(({ name }: { readonly name: string }) => name === tool)
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(inputSchema)
  return (args: object) => validate(withoutNull(args))
})

/**
 * The API and a tool refuse the same for the same reasons. The tool that changes a post may name fewer (`namesAll`): if
 * an argument does not fit its schema, only the API reads the post and names what it refuses besides.
 */
const assertSameRefusal = (
  title: string,
  { body, status }: ClientResponse,
  { data, isError }: ToolResult,
  namesAll = true
) => {
  assert.strictEqual(isError, status >= 400, `${title}: ${JSON.stringify(data)}`)
  if (!isError) return
  assert.isBelow(status, 500, title)
  assert.strictEqual(data.code, body.code, title)
  // A name that is too long for a result is cut there.
  if (body.errors !== undefined && data.truncated !== true) {
    if (namesAll) assert.deepStrictEqual(errorPaths(data), errorPaths(body), title)
    else assert.includeDeepMembers(errorPaths(body), errorPaths(data), title)
  }
  assert.isAtMost(Buffer.byteLength(JSON.stringify(data)), 32_000, title)
}

/** The API has tests with each of these; a third of them shows whether a tool says the same. */
const everyThird = <A>(members: ReadonlyArray<A>, first: number): ReadonlyArray<A> =>
  members.filter((_, index) => index % 3 === first)

/** There are hundreds of arguments, each sent twice and read twice. In milliseconds. */

layer(agentServerLayer({ rateLimitPerMinute: 1_000_000 }))("hostile arguments", (it) => {
  it.effect(
    "What the API refuses to create, create_post refuses for the same reasons, and stores all else equally",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const before = yield* storedRows
        const fits = yield* makeFits(url, key, "create_post")
        let created = 0
        let targets = 0
        for (const { members, title } of [...everyThird(hostileMembers, 0), ...hostileNewMembers]) {
          const args = { content: "Hello", platforms: ["twitter", "bluesky"], ...members }
          const response = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(key), args)
          // Some of these arguments are equal once they are JSON.
          const result = yield* callTool(url, key, "create_post", { ...args, occurrence: created + 1 })
          assertSameRefusal(title, response, result)
          if (result.isError) continue
          assert.isTrue(fits(args), title)
          created++
          targets += result.data.platforms.length
          assert.deepStrictEqual(
            yield* stored(url, key, result.data.id),
            yield* stored(url, key, response.body.id),
            title
          )
        }
        assert.deepStrictEqual(countChanges(before, yield* storedRows), {
          idempotency_keys: [created, 0],
          post_targets: [2 * targets, 0],
          posts: [2 * created, 0]
        })
      })
  )

  it.effect(
    "What the API refuses to change, update_post refuses for the same reasons, and changes all else equally",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const make = Effect.map(
          sendJson(`${url}/v1/posts`, "POST", keyHeaders(key), { content: "Hello", platforms: ["twitter", "bluesky"] }),
          ({ body }): string => body.id
        )
        const [one, other] = [yield* make, yield* make]
        const before = yield* storedRows
        const fits = yield* makeFits(url, key, "update_post")
        let etag = "1-draft"
        let changed = 0
        for (const { members, title } of [...everyThird(hostileMembers, 1), ...hostileChangedMembers]) {
          // The API removes the time. A tool counts null as unset.
          if (title === "a time: null") continue
          const headers = { ...keyHeaders(key), "if-match": `"${etag}"` }
          const response = yield* sendJson(`${url}/v1/posts/${one}`, "PATCH", headers, members)
          const result = yield* callTool(url, key, "update_post", { id: other, etag, ...members })
          assertSameRefusal(title, response, result, false)
          if (result.isError) continue
          assert.isTrue(fits({ id: other, etag, ...members }), title)
          // A change that is equal to one before, which changed nothing, is that one.
          if (result.data.replayed === false) changed++
          assert.deepStrictEqual(yield* stored(url, key, other), yield* stored(url, key, one), title)
          etag = result.data.etag
        }
        assert.isAbove(changed, 100)
        const changes = countChanges(before, yield* storedRows)
        assert.deepStrictEqual(Struct.omit(changes, ["post_targets"]), {
          idempotency_keys: [changed, 0],
          posts: [2, 2]
        })
      })
  )
})
