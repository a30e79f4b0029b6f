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

describe("a setting that is a flag", () => {
  const flag = otherSettingsFor(["tiktok"]).find(({ name }) => name === "allow_duet") ?? assert.fail("There is none")

  it("It is saved only if it is set, because what is not allowed is forbidden", () => {
    const set = withSetting({}, flag, true)
    assert.deepStrictEqual(sentSettings(set), { tiktok: { allow_duet: true } })
    assert.deepStrictEqual(withSetting(set, flag, false), {})
  })

  it("A post's own is kept when the post is changed", () => {
    const platform_settings = { tiktok: { privacy_level: "SELF_ONLY" as const, allow_comment: true } }
    assert.deepStrictEqual(sentSettings(otherSettingsOf({ platform_settings })), platform_settings)
    const forbidden = { tiktok: { privacy_level: "SELF_ONLY" as const, allow_comment: false } }
    assert.deepStrictEqual(sentSettings(otherSettingsOf({ platform_settings: forbidden })), {
      tiktok: { privacy_level: "SELF_ONLY" }
    })
  })

  it("Who can see a video has no choice at first", () => {
    const level = otherSettingsFor(["tiktok"]).find(({ name }) => name === "privacy_level")
    assert.isTrue(level?.setting.kind === "choice" && level.setting.default === undefined)
  })
})
