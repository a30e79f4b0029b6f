import { afterEach, assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { rangeOf } from "../../src/dashboard/pages/calendar/range.ts"
import { dayKey } from "../../src/dashboard/ui/time/day.ts"
import { addDays, formatExact, formatTime, startOfDay } from "../../src/dashboard/ui/time/time.ts"
import { fromLocalInput, quickTimes, toTexts } from "../../src/dashboard/ui/time/timeInput.ts"
import { inZone, timeSettings } from "../../src/dashboard/ui/time/zone.ts"

const machineZone = process.env["TZ"]

afterEach(() => {
  timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: null })
  if (machineZone === undefined) delete process.env["TZ"]
  else process.env["TZ"] = machineZone
})

/** What pages show and store around the changes of Dublin's clocks, and around midnight there. */
const shownTimes = () => {
  timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: "Europe/Dublin" })
  return ["2026-03-29T00:30:00Z", "2026-10-24T23:30:00Z", "2026-10-25T01:30:00Z", "2026-12-31T23:59:00Z"].map((at) => {
    const now = inZone(at)
    const { from, to } = rangeOf("month", now)
    return JSON.stringify([
      quickTimes(now),
      [from, to, startOfDay(now), addDays(now, 1)],
      [dayKey(now), formatExact(now), formatTime(addDays(now, 3), now), toTexts(at)],
      fromLocalInput(`${dayKey(now)}T01:30`)
    ])
  })
}

/** Reads the zone of the machine. In the dashboard, the same getters are those of `ZonedDate`. */
const readsMachineZone =
  /\.[gs]et(?:FullYear|Month|Date|Day|Hours|Minutes)\(|getTimezoneOffset|\.toLocale(?:Date|Time)String\(|DateTimeFormat\(\s*\)|zoneMakeLocal|setZoneCurrent/

describe("The zone of the machine", () => {
  it.each(["Australia/Lord_Howe", "America/Santiago", "UTC"])(
    "What pages show and store is the same in %s as in Berlin, if another zone is shown",
    (zone) => {
      process.env["TZ"] = "Europe/Berlin"
      const expected = shownTimes()
      process.env["TZ"] = zone
      assert.notStrictEqual(new Date(2026, 6, 1).getTimezoneOffset(), -120)
      assert.deepStrictEqual(shownTimes(), expected)
    }
  )

  it("The service does not read it, apart from the times of the demo's posts", () => {
    const cwd = fileURLToPath(new URL("../../src/", import.meta.url))
    const readers = globSync("**/*.ts", { cwd }).filter(
      (file) => !file.startsWith("dashboard/") && readsMachineZone.test(readFileSync(`${cwd}${file}`, "utf8"))
    )
    assert.deepStrictEqual(readers, ["demo/times.ts"])
  })
})
