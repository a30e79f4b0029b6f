import { afterEach, assert, describe, it } from "@effect/vitest"
import { dayKey } from "../../src/dashboard/ui/time/day.ts"
import { addDays, formatClock, formatExact, startOfDay } from "../../src/dashboard/ui/time/time.ts"
import { fromLocalInput, toTexts } from "../../src/dashboard/ui/time/timeInput.ts"
import { adoptZoneRules, inZone, timeOfZone, timeSettings } from "../../src/dashboard/ui/time/zone.ts"
import { zoneRuleSteps } from "../../src/domain/plain/timeZone.ts"
import { finishSteps } from "../support/steps.ts"

const show = (timeZone: string | null) => timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone })

const machineZone = process.env["TZ"]

afterEach(() => {
  show(null)
  if (machineZone === undefined) delete process.env["TZ"]
  else process.env["TZ"] = machineZone
})

const hour = 60 * 60 * 1000

describe("The service's rules of a time zone", () => {
  it("A wall time becomes the instant of the service's rules, and is shown by them, where the browser's differ", () => {
    show("Pacific/Easter")
    const at = "2030-07-01T09:00"
    assert.strictEqual(fromLocalInput(at), "2030-07-01T15:00:00.000Z")
    const change = Date.UTC(2029, 0, 1)
    const [from, until] = [Date.UTC(2000, 0, 1), Date.UTC(2060, 0, 1)]
    const offsets = [
      [from, -6 * hour],
      [change, 3.5 * hour]
    ] as const
    adoptZoneRules({ name: "Pacific/Easter", from, until, offsets })
    const instant = fromLocalInput(at)
    assert.strictEqual(instant, "2030-07-01T05:30:00.000Z")
    assert.deepStrictEqual(toTexts(instant), { day: "2030-07-01", clock: "09:00" })
    const date = new Date(instant ?? "")
    assert.strictEqual(formatClock(date), "09:00")
    assert.strictEqual(formatExact(date), "Mon, Jul 1, 2030, 09:00 (Pacific/Easter)")
    assert.strictEqual(startOfDay(date).toISOString(), "2030-06-30T20:30:00.000Z")
    assert.strictEqual(addDays(date, 1).toISOString(), "2030-07-02T05:30:00.000Z")
    assert.strictEqual(dayKey(timeOfZone(2030, 6, 1)), "2030-07-01")
    assert.strictEqual(inZone(date).getHours(), 9)
    // Beyond the years of the rules, the browser's own count.
    assert.strictEqual(fromLocalInput("2070-07-01T09:00"), "2070-07-01T15:00:00.000Z")
  })

  it("Times are shown again once rules come that are new, and not for the same rules", () => {
    let changes = 0
    const stop = timeSettings.subscribe(() => changes++)
    const rules = (offset: number) => ({ name: "Pacific/Wake", from: 0, until: 1, offsets: [[0, offset]] as const })
    for (const offset of [1, 1, 2]) adoptZoneRules(rules(offset))
    stop()
    assert.strictEqual(changes, 2)
  })

  it.each(["Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "UTC"])(
    "A zone's wall times become the same instants in a browser whose own zone is %s",
    (zone) => {
      process.env["TZ"] = zone
      const noon = new Date(2026, 6, 1, 12).getTimezoneOffset()
      assert.strictEqual(
        noon,
        { "Europe/Berlin": -120, "Australia/Lord_Howe": -630, "America/Santiago": 240 }[zone] ?? 0
      )
      show("Europe/Dublin")
      assert.strictEqual(fromLocalInput("2026-03-29T02:00"), "2026-03-29T01:00:00.000Z")
      assert.strictEqual(fromLocalInput("2026-10-25T01:30"), "2026-10-25T00:30:00.000Z")
      assert.strictEqual(fromLocalInput("2026-10-25T02:00"), "2026-10-25T02:00:00.000Z")
      show("Australia/Lord_Howe")
      assert.strictEqual(fromLocalInput("2026-04-05T01:45"), "2026-04-04T14:45:00.000Z")
      assert.strictEqual(fromLocalInput("2026-10-04T02:15"), "2026-10-03T15:45:00.000Z")
      show("America/Santiago")
      assert.strictEqual(fromLocalInput("2026-09-06T00:00"), "2026-09-06T04:00:00.000Z")
      show("America/Vancouver")
      assert.strictEqual(fromLocalInput("2026-12-01T09:00"), "2026-12-01T16:00:00.000Z")
    }
  )

  it.each(["Africa/Casablanca", "Asia/Gaza", "Australia/Lord_Howe", "Pacific/Apia", "America/Vancouver"])(
    "The rules as data have the same offset at each hour of ten years: %s",
    (zone) => {
      const rules = finishSteps(zoneRuleSteps(zone, Date.UTC(2000, 0, 1), Date.UTC(2060, 0, 1)))
      show(zone)
      const times = Array.from({ length: 24 * 365 * 10 }, (_, index) => Date.UTC(2010, 0, 1) + index * hour)
      const own = times.map((time) => inZone(new Date(time)).getHours())
      adoptZoneRules(rules)
      assert.deepStrictEqual(
        times.map((time) => inZone(new Date(time)).getHours()),
        own
      )
    }
  )
})
