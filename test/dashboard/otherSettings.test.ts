import { assert, describe, it } from "@effect/vitest"
import {
  otherSettingsFor,
  otherSettingsOf,
  sentSettings,
  typed,
  valueOf,
  withSetting
} from "../../src/dashboard/pages/compose/otherSettings.ts"

const own = otherSettingsFor(["instagram"])
const collaborators = own.find(({ name }) => name === "collaborators") ?? assert.fail("There is no such setting")

describe("a setting of several texts", () => {
  it("It is typed between commas as it is, and saved without blank texts", () => {
    for (const text of ["a", "a,", "a, ", "a, b"]) {
      const settings = withSetting({}, collaborators, valueOf(collaborators.setting, text))
      assert.strictEqual(typed(settings["instagram"]?.["collaborators"]), text)
    }
    const settings = withSetting({}, collaborators, valueOf(collaborators.setting, " a , ,b,"))
    assert.deepStrictEqual(sentSettings(settings), { instagram: { collaborators: ["a", "b"] } })
  })

  it("It is gone once nothing is left of it", () => {
    const settings = withSetting({}, collaborators, valueOf(collaborators.setting, ""))
    assert.deepStrictEqual(settings, {})
    assert.deepStrictEqual(sentSettings(withSetting({}, collaborators, valueOf(collaborators.setting, " ,"))), {
      instagram: {}
    })
  })

  it("A post's own are kept when the post is changed", () => {
    const platform_settings = { instagram: { post_type: "reel" as const, collaborators: ["a", "b"] } }
    assert.deepStrictEqual(sentSettings(otherSettingsOf({ platform_settings })), platform_settings)
  })
})
