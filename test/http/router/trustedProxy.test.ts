import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { send } from "../../support/http/client.ts"
import { startServer } from "../../support/http/server.ts"

/** A route that returns the client's address, protocol and host as the server sees them. */
const whoRoute = HttpRouter.add(
  "GET",
  "/who",
  Effect.map(HttpServerRequest.HttpServerRequest, ({ headers, protocol, remoteAddress }) =>
    HttpServerResponse.jsonUnsafe({
      address: Option.getOrNull(remoteAddress),
      protocol: protocol ?? null,
      host: headers["host"]
    })
  )
)

describe("trusted proxy", () => {
  const spoofed = {
    "x-forwarded-for": "198.51.100.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "elsewhere.example"
  }

  it.effect("X-Forwarded headers are ignored unless a proxy is trusted", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ others: whoRoute })
      const { body } = yield* send(`${url}/who`, { headers: spoofed })
      assert.deepStrictEqual(body, { address: "127.0.0.1", protocol: null, host: new URL(url).host })
    })
  )

  it.effect.each([
    {
      what: "sets every header",
      headers: spoofed,
      address: "198.51.100.7",
      protocol: "https",
      host: "elsewhere.example"
    },
    {
      what: "appends to spoofed values",
      headers: { "x-forwarded-for": "6.6.6.6, 198.51.100.7", "x-forwarded-proto": "http, https" },
      address: "198.51.100.7",
      protocol: "https"
    },
    {
      what: "appends the last of several addresses",
      headers: { "x-forwarded-for": "1.1.1.1,10.0.0.1 , 2001:db8::1", "x-forwarded-proto": "https" },
      address: "2001:db8::1",
      protocol: "https"
    },
    {
      what: "sets an address with a port",
      headers: { "x-forwarded-for": "198.51.100.7:4711" },
      address: "198.51.100.7",
      protocol: null
    },
    {
      what: "sets only the protocol",
      headers: { "x-forwarded-proto": "https" },
      address: "127.0.0.1",
      protocol: "https"
    },
    {
      what: "hides the client",
      headers: { "x-forwarded-for": "unknown" },
      address: "127.0.0.1",
      protocol: null
    },
    {
      what: "forwards malformed values",
      headers: { "x-forwarded-for": "198.51.100.7", "x-forwarded-host": "a/b", "x-forwarded-proto": "gopher" },
      address: "198.51.100.7",
      protocol: null
    }
  ])(
    "The client is taken from the headers of a trusted proxy that $what",
    ({ headers, address, protocol, ...expected }) =>
      Effect.gen(function* () {
        const url = yield* startServer({ others: whoRoute, trustProxy: "on" })
        const { body } = yield* send(`${url}/who`, { headers: headers as Record<string, string> })
        assert.deepStrictEqual(body, {
          address,
          protocol,
          host: "host" in expected ? expected.host : new URL(url).host
        })
      })
  )

  it.effect("A client that reached the proxy by plain HTTP gets a 403", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ trustProxy: "on" })
      const { status, body } = yield* send(`${url}/v1/posts`, {
        headers: { "x-forwarded-for": "198.51.100.7", "x-forwarded-proto": "http" }
      })
      assert.strictEqual(status, 403)
      assert.deepInclude(body, {
        code: "https_required",
        detail: "The request came to the proxy by plain HTTP; use https"
      })
    })
  )
})
