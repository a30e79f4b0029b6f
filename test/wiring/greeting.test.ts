import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import { configuration } from "../../src/config.ts"
import { greeting } from "../../src/wiring/greeting.ts"

const greet = (env: Record<string, string>) =>
  configuration.pipe(
    Effect.map((config) => greeting(config, Option.some("sps_secret"))),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))
  )

describe("greeting", () => {
  it.effect("A demo that only this machine reaches prints its key", () =>
    Effect.gen(function* () {
      assert.include(yield* greet({}), "sps_secret")
    })
  )

  it.effect(
    "Its post without a file is for no platform that needs one, and its post with a picture for none that takes only videos",
    () =>
      Effect.gen(function* () {
        const text = yield* greet({ ENABLE_PLATFORMS: "instagram,youtube,tiktok,facebook" })
        const named = [...text.matchAll(/"platforms\\":\[(.*?)\]/g)].map(([, names = ""]) =>
          names.replaceAll(/[\\"]/g, "")
        )
        assert.deepStrictEqual(named, ["twitter,bluesky,facebook", "twitter,bluesky,instagram,facebook"])
      })
  )

  it.effect("A demo behind a proxy prints no key, and says how to make one", () =>
    Effect.gen(function* () {
      const text = yield* greet({ TRUST_PROXY: "on", BASE_URL: "https://posts.example.com" })
      assert.notInclude(text, "sps_secret")
      assert.include(text, "key create")
    })
  )
})
