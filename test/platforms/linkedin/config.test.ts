import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect } from "effect"
import { linkedinConfig, warnOfVersion } from "../../../src/platforms/linkedin/config.ts"

const at = (day: string) => DateTime.makeUnsafe(`${day}T00:00:00Z`)

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(linkedinConfig, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

describe("The version of LinkedIn's API", () => {
  it("It is warned of from 60 days before its end, which is about a year after its month", () => {
    assert.isUndefined(warnOfVersion("202610", at("2027-08-15")))
    assert.include(warnOfVersion("202610", at("2027-08-16")), "202610 of LinkedIn's API ends about 2027-10-15")
    assert.include(warnOfVersion("202610", at("2027-10-15")), "has ended about 2027-10-15")
  })

  it.effect("It must be a year and a month", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({})).version, "202610")
      assert.strictEqual((yield* read({ LINKEDIN_VERSION: "202701" })).version, "202701")
      for (const wrong of ["2026", "202613", "2026-10"]) {
        assert.include((yield* Effect.flip(read({ LINKEDIN_VERSION: wrong }))).message, "LINKEDIN_VERSION")
      }
    })
  )

  it.effect("Pages need both variables of their application", () =>
    Effect.gen(function* () {
      assert.isNull((yield* read({})).pages)
      const id = "LINKEDIN_PAGES_CLIENT_ID"
      const secret = "LINKEDIN_PAGES_CLIENT_SECRET"
      for (const [one, other] of [
        [id, secret],
        [secret, id]
      ] as const) {
        const { message } = yield* Effect.flip(read({ [one]: "a" }))
        assert.include(message, other)
        assert.notInclude(message, one)
      }
      const both = { LINKEDIN_PAGES_CLIENT_ID: "a", LINKEDIN_PAGES_CLIENT_SECRET: "b" }
      assert.deepStrictEqual((yield* read(both)).pages, { clientId: "a", clientSecret: "b" })
    })
  )
})
