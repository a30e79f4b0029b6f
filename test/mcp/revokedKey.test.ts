import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { formatApiKey } from "../../src/domain/people/apiKey.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { send } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { makeKey, makeTeam } from "../support/http/team.ts"
import { agents, agentServerLayer, ask, callTool } from "./agent.ts"
import { lineOf, watchInnerRequests } from "./innerRequests.ts"

const inner = watchInnerRequests()

const later = "1970-02-02T00:00:00Z"
const text = { content: "Hello", platforms: ["bluesky"], schedule_at: later }

/** A key that is revoked before a tool's request with this number is served. */
const start = Effect.gen(function* () {
  const { apiKeys } = yield* Repo
  const url = yield* ServerUrl
  const { workspaceId } = yield* makeTeam
  const { id, key } = yield* makeKey(workspaceId)
  const revokeBefore = (number: number) => (sent: ReadonlyArray<unknown>) =>
    sent.length === number ? Effect.asVoid(Effect.orDie(apiKeys.revoke(id))) : Effect.void
  return {
    url,
    key,
    call: (name: string, args: object, revokedBefore: number) =>
      inner.during(callTool(url, key, name, args), revokeBefore(revokedBefore))
  }
})

/** How many wrong keys the address may still send. A minute later it may send as many as ever. */
const wrongKeysLeft = Effect.fnUntraced(function* (url: string) {
  const headers = { authorization: `Bearer ${formatApiKey("B".repeat(32))}` }
  let left = 0
  while ((yield* send(`${url}/v1/me`, { headers })).status === 401) left++
  yield* TestClock.adjust("1 minute")
  return left
})

const allowed = 60

layer(agentServerLayer({ others: Layer.merge(agents, inner.layer) }))("a key that is revoked during a call", (it) => {
  it.effect("A tool whose key is revoked before it asks the API fails as unauthorized, and changes nothing", () =>
    Effect.gen(function* () {
      const { call, key, url } = yield* start
      const { requests, result } = yield* call("create_post", text, 1)
      assert.deepStrictEqual(requests.map(lineOf), ["POST /v1/posts"])
      assert.isTrue(result.isError)
      assert.deepInclude(result.data, {
        code: "unauthorized",
        detail: "This API key is unknown, has expired or was revoked",
        errors: []
      })
      assert.strictEqual(yield* wrongKeysLeft(url), allowed - 1)
      assert.strictEqual((yield* ask(url, key, "tools/list")).status, 401)
      assert.strictEqual(yield* wrongKeysLeft(url), allowed - 1)
    })
  )

  it.effect("A tool whose key is revoked once it had its effect tells of that effect", () =>
    Effect.gen(function* () {
      const { call, url } = yield* start
      const { requests, result } = yield* call("create_post", text, 2)
      assert.deepStrictEqual(requests.map(lineOf), ["POST /v1/posts", "GET /v1/me"])
      assert.deepInclude(result.data, { status: "scheduled", next: "will_be_published_at" })
      assert.strictEqual(yield* wrongKeysLeft(url), allowed - 1)
    })
  )

  it.effect("A tool that waits for its file stops asking once its key is revoked, and counts as one wrong key", () =>
    Effect.gen(function* () {
      const { call, url } = yield* start
      const adding = yield* Effect.forkChild(
        call("add_media", { url: "https://images.example/a.png", alt: "A picture" }, 3)
      )
      while (adding.pollUnsafe() === undefined) {
        yield* TestClock.adjust("1 second")
        yield* send(`${url}/healthz`)
      }
      const { requests, result } = yield* Fiber.join(adding)
      assert.deepStrictEqual(requests.map(lineOf), [
        "POST /v1/media/from-url",
        "GET /v1/media/:id",
        "GET /v1/media/:id"
      ])
      assert.deepInclude(result.data, { status: "processing" })
      assert.strictEqual(yield* wrongKeysLeft(url), allowed - 1)
    })
  )
})
