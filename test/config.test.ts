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
})
