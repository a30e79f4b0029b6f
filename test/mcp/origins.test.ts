// Not policed: all that it asks of the database is a key.
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Struct } from "effect"
import { configuration } from "../../src/config.ts"
import { mcpLayer } from "../../src/mcp/server.ts"
import { type ClientResponse, send } from "../support/http/client.ts"
import { baseUrl, ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { headersOf, message } from "./agent.ts"

const env = {
  BASE_URL: baseUrl,
  MCP_ALLOWED_ORIGINS: "HTTPS://Client.Example/, https://other.example:443,http://localhost:6274"
}

/** A server whose origins are those that the environment says. */
const serverLayer = Layer.unwrap(
  configuration.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
    Effect.map((config) => databaseServerLayer({ others: mcpLayer(config), rateLimitPerMinute: 100_000 }))
  )
)

const listing = JSON.stringify(message("tools/list"))

const list = (url: string, headers: Readonly<Record<string, string>>) =>
  send(`${url}/mcp`, { method: "POST", headers, body: listing })

const preflight = (url: string, origin: string) =>
  send(`${url}/mcp`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,mcp-method,mcp-protocol-version"
    }
  })

/** The headers of a response that are for browsers. */
const shared = ({ headers }: ClientResponse) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")))

layer(serverLayer)("origins of those who use the server of agents", (it) => {
  it.effect("Pages of the service and of the origins that the operator names may send requests, and no others", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const headers = headersOf((yield* makeTeam).key, "tools/list")
      const statuses: Record<string, number> = {}
      for (const origin of [
        baseUrl,
        "https://client.example",
        "https://other.example",
        "http://localhost:6274",
        "https://evil.example",
        "http://client.example",
        "https://client.example.evil.example",
        "https://sub.client.example",
        "http://localhost:6275",
        "http://localhost",
        "null",
        // Browsers write none of these.
        "HTTPS://CLIENT.EXAMPLE",
        "https://client.example/",
        "https://client.example:443",
        "https://client.example, https://other.example",
        ""
      ]) {
        statuses[origin] = (yield* list(url, { ...headers, origin })).status
      }
      assert.deepStrictEqual(statuses, {
        [baseUrl]: 200,
        "https://client.example": 200,
        "https://other.example": 200,
        "http://localhost:6274": 200,
        "https://evil.example": 403,
        "http://client.example": 403,
        "https://client.example.evil.example": 403,
        "https://sub.client.example": 403,
        "http://localhost:6275": 403,
        "http://localhost": 403,
        null: 403,
        "HTTPS://CLIENT.EXAMPLE": 403,
        "https://client.example/": 403,
        "https://client.example:443": 403,
        "https://client.example, https://other.example": 403,
        "": 403
      })
    })
  )

  it.effect("A browser lets pages of the origins that are named send requests and read answers, and no others", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const asked = yield* preflight(url, "https://client.example")
      assert.strictEqual(asked.status, 204)
      assert.deepStrictEqual(shared(asked), {
        "access-control-allow-origin": "https://client.example",
        "access-control-allow-methods": "POST",
        "access-control-allow-headers":
          "authorization, content-type, mcp-protocol-version, mcp-method, mcp-name, traceparent, tracestate, x-request-id",
        "access-control-expose-headers": "www-authenticate, retry-after, ratelimit, ratelimit-policy, x-request-id",
        "access-control-max-age": "7200"
      })
      assert.strictEqual(asked.headers.get("vary"), "origin")
      for (const origin of ["https://evil.example", "null"]) {
        const refused = yield* preflight(url, origin)
        assert.deepStrictEqual([refused.status, refused.body.code, shared(refused)], [403, "cross_origin", {}])
      }
    })
  )

  it.effect("Refusals can be read by the pages that may send requests", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key } = yield* makeTeam
      const origin = "https://client.example"
      const headers: Record<string, string> = { ...headersOf(key, "tools/list"), origin }
      const withoutKey = Struct.omit(headers, ["authorization"])
      const answers = [
        yield* list(url, headers),
        yield* list(url, withoutKey),
        // Whatever the origin, no cookie lets anyone in.
        yield* list(url, { ...withoutKey, cookie }),
        yield* list(url, { ...headers, "content-type": "text/plain" }),
        yield* send(`${url}/mcp`, { headers })
      ]
      assert.deepStrictEqual(
        answers.map((answer) => [
          answer.status,
          answer.headers.get("access-control-allow-origin"),
          answer.headers.has("access-control-allow-credentials")
        ]),
        [200, 401, 401, 415, 405].map((status) => [status, origin, false])
      )
    })
  )

  it.effect("Programs and pages of the service itself get no headers for pages of other origins", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const headers = headersOf((yield* makeTeam).key, "tools/list")
      assert.deepStrictEqual(shared(yield* list(url, headers)), {})
      assert.deepStrictEqual(shared(yield* list(url, { ...headers, origin: baseUrl })), {})
      const elsewhere = yield* send(`${url}/v1/me`, { headers: { ...headers, origin: "https://client.example" } })
      assert.deepStrictEqual([elsewhere.status, shared(elsewhere)], [200, {}])
    })
  )
})
