import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { configuration } from "../src/config.ts"

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
