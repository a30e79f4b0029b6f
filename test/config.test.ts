import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { agentConnection, configuration } from "../src/config.ts"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(configuration, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

const proxied = { TRUST_PROXY: "on", BASE_URL: "https://posts.example" }

describe("configuration", () => {
  it.effect.each([
    ["a sandbox on this machine", {}, true],
    ["a sandbox behind a proxy", proxied, false],
    ["a sandbox behind a proxy on this machine", { ...proxied, BASE_URL: "http://localhost:8080" }, false],
    ["a sandbox that others reach at another address", { BASE_URL: "https://posts.example" }, false],
    ["a live service", { PLATFORMS: "live" }, false]
  ] as const)(
    "Only a service that nobody else can use reaches this machine and offers the demo: %s",
    ([, env, isOwn]) =>
      Effect.gen(function* () {
        const { offersDemo, reachesLoopback } = yield* read(env)
        assert.deepStrictEqual({ offersDemo, reachesLoopback }, { offersDemo: isOwn, reachesLoopback: isOwn })
      })
  )

  it.effect("Origins that may use the server of agents are read as browsers write them, each once", () =>
    Effect.gen(function* () {
      const originsOf = (value: string) =>
        Effect.map(read({ MCP_ALLOWED_ORIGINS: value }), ({ mcpAllowedOrigins }) => mcpAllowedOrigins)
      assert.deepStrictEqual((yield* read({})).mcpAllowedOrigins, [])
      assert.deepStrictEqual(yield* originsOf(""), [])
      assert.deepStrictEqual(
        yield* originsOf(
          "https://a.example/ ,HTTPS://A.example:443,http://127.0.0.1:6274,http://[::1]:80,https://bücher.example,"
        ),
        ["https://a.example", "http://127.0.0.1:6274", "http://[::1]", "https://xn--bcher-kva.example"]
      )
    })
  )

  it.effect("What is no origin stops the start, with each such value named", () =>
    Effect.gen(function* () {
      const wrong = [
        "*",
        "null",
        "https://*.example",
        "https://a.example/path",
        "https://a.example?",
        "https://user@a.example",
        "https://a.example:99999",
        "a.example",
        "ftp://a.example",
        "chrome-extension://abc"
      ]
      const { message } = yield* Effect.flip(read({ MCP_ALLOWED_ORIGINS: `https://fine.example,${wrong.join(",")}` }))
      assert.strictEqual(
        message,
        `MCP_ALLOWED_ORIGINS: Expected origins such as https://client.example, which these are not: ${wrong.join(", ")}`
      )
    })
  )
})

describe("the connection of an agent", () => {
  const readConnection = (url: string, key = "sps_secret") =>
    Effect.provideService(
      agentConnection,
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromUnknown({ SOCIAL_PUBLISHER_URL: url, SOCIAL_PUBLISHER_KEY: key })
    )

  it.effect("The address is taken with and without the path of the tools, and over plain HTTP on this machine", () =>
    Effect.gen(function* () {
      for (const [given, url] of [
        ["https://posts.example", "https://posts.example"],
        ["https://posts.example/mcp", "https://posts.example"],
        ["https://posts.example/below/mcp//", "https://posts.example/below"],
        ["https://posts.example/my-mcp", "https://posts.example/my-mcp"],
        ["http://localhost:3000/", "http://localhost:3000"],
        ["http://posts.localhost", "http://posts.localhost"],
        ["http://127.1.2.3:3000", "http://127.1.2.3:3000"],
        ["http://[::1]:3000", "http://[::1]:3000"]
      ] as const) {
        const connection = yield* readConnection(given)
        assert.strictEqual(connection.url, url)
        assert.strictEqual(Redacted.value(connection.key), "sps_secret")
      }
    })
  )

  it.effect("An address that would show the key on the way, or is none, stops the start with what it has to be", () =>
    Effect.gen(function* () {
      for (const [url, said] of [
        ["http://posts.example", /has to begin with https:.* this machine alone$/],
        ["HTTP://10.0.0.1:3000", /has to begin with https:/],
        ["http://127.0.0.1.example", /has to begin with https:/],
        ["http://localhost@posts.example", /has to begin with https:/],
        ["https://ada:sps_secret@posts.example", /can't have a user or a password$/],
        ["https://posts.example/?key=sps_secret", /can't have a query or a fragment$/],
        ["posts.example", /such as https:/],
        ["ftp://posts.example", /such as https:/],
        ["https://posts.example\n", /such as https:/]
      ] as const) {
        const { message } = yield* Effect.flip(readConnection(url))
        assert.match(message, /^SOCIAL_PUBLISHER_URL: /)
        assert.match(message, said)
        assert.notInclude(message, "sps_secret")
      }
    })
  )

  it.effect("A key that no header can have stops the start, and is not repeated", () =>
    Effect.gen(function* () {
      for (const key of ["sps_secret\n", "sps_secret sps_other", "Bearer sps_secret", "sps_sécret"]) {
        const { message } = yield* Effect.flip(readConnection("https://posts.example", key))
        assert.strictEqual(
          message,
          "SOCIAL_PUBLISHER_KEY: It has to be the API key alone, without spaces or line breaks"
        )
      }
    })
  )
})
