import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { instagramConfig, loginIn } from "../../../src/platforms/instagram/config.ts"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(instagramConfig, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

describe("The login for new connections", () => {
  it.effect("It is Instagram's, unless only a Meta app is configured", () =>
    Effect.gen(function* () {
      const own = { INSTAGRAM_CLIENT_ID: "1" }
      const meta = { FACEBOOK_CLIENT_ID: "2" }
      for (const [env, login] of [
        [{}, "instagram"],
        [own, "instagram"],
        [{ ...own, ...meta }, "instagram"],
        [meta, "facebook"]
      ] as const) {
        assert.strictEqual(loginIn(yield* read(env)), login)
      }
    })
  )
})

describe("The version of Meta's Graph API", () => {
  it.effect("It must be a version as Meta writes it", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({})).version, "v26.0")
      assert.strictEqual((yield* read({ INSTAGRAM_VERSION: "v27.0" })).version, "v27.0")
      for (const wrong of ["26.0", "v26", "v26.0/me"]) {
        assert.include((yield* Effect.flip(read({ INSTAGRAM_VERSION: wrong }))).message, "INSTAGRAM_VERSION")
      }
    })
  )
})
