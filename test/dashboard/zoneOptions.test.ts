import { assert, describe, it } from "@effect/vitest"
import { zoneOptions } from "../../src/dashboard/pages/settings/zoneOptions.ts"

const known = ["Africa/Abidjan", "Asia/Calcutta", "Europe/Kiev", "America/St_Johns", "Asia/Calcutta"]
const winter = Date.parse("2030-01-15T12:00:00Z")
const summer = Date.parse("2030-07-15T12:00:00Z")

describe("The time zones of the profile", () => {
  it("Each has its offset, UTC is among them, and renamed places have both names", () => {
    assert.deepStrictEqual(zoneOptions(known, null, winter), [
      ["Africa/Abidjan", "Africa/Abidjan, UTC+00:00"],
      ["America/St_Johns", "America/St Johns, UTC−03:30"],
      ["Asia/Calcutta", "Asia/Calcutta (now Asia/Kolkata), UTC+05:30"],
      ["Asia/Kolkata", "Asia/Kolkata, UTC+05:30"],
      ["Europe/Kiev", "Europe/Kiev (now Europe/Kyiv), UTC+02:00"],
      ["Europe/Kyiv", "Europe/Kyiv, UTC+02:00"],
      ["UTC", "UTC"]
    ])
    assert.include(zoneOptions(known, null, summer)[5]?.[1], "UTC+03:00")
  })

  it("The chosen zone is listed even if the browser does not know it", () => {
    assert.deepStrictEqual(zoneOptions(known, "Mars/Olympus_Mons", winter)[0], [
      "Mars/Olympus_Mons",
      "Mars/Olympus Mons"
    ])
    assert.lengthOf(zoneOptions(known, "Europe/Kyiv", winter), 7)
  })

  it("A zone in another spelling is chosen under its usual name", () => {
    const options = zoneOptions(known, "asia/kolkata", winter)
    assert.deepStrictEqual(
      options.filter(([zone, label]) => `${zone} ${label}`.toLowerCase().includes("kolkata")),
      [
        ["Asia/Calcutta", "Asia/Calcutta (now Asia/Kolkata), UTC+05:30"],
        ["asia/kolkata", "Asia/Kolkata, UTC+05:30"]
      ]
    )
    assert.strictEqual(options.length, zoneOptions(known, null, winter).length)
  })

  it("Every zone of this program has an offset", () => {
    for (const [zone, label] of zoneOptions(Intl.supportedValuesOf("timeZone"), null, winter)) {
      assert.match(label, zone === "UTC" ? /^UTC$/ : /, UTC[+−]\d\d:\d\d$/, zone)
    }
  })
})
