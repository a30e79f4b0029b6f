import { afterEach, assert, describe, it } from "@effect/vitest"
import { movedBy, rangeOf, startOfWeek, timeInSlot } from "../../src/dashboard/pages/calendar/range.ts"
import { weekAt } from "../../src/dashboard/pages/calendar/weeks.ts"
import { dayKey, parseDay } from "../../src/dashboard/ui/time/day.ts"
import { doubledTime } from "../../src/dashboard/ui/time/doubledTime.ts"
import { addDays, formatClock, formatExact, formatHour } from "../../src/dashboard/ui/time/time.ts"
import { fromAddress, fromLocalInput, fromTexts, quickTimes, toTexts } from "../../src/dashboard/ui/time/timeInput.ts"
import { parseClock } from "../../src/dashboard/ui/time/clockInput.ts"
import { inZone, timeOfZone, type TimeSettings, timeSettings } from "../../src/dashboard/ui/time/zone.ts"

const set = (changes: Partial<TimeSettings>) => {
  timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone: null, ...changes })
}

afterEach(() => {
  set({})
})

describe("The time zone, the clock and the week of a profile", () => {
  it("A time is shown on the day and at the hour of the chosen zone, whatever zone the browser is in", () => {
    const time = new Date("2026-11-24T16:30:00Z")
    set({ timeZone: "Asia/Tokyo" })
    assert.strictEqual(dayKey(time), "2026-11-25")
    assert.strictEqual(formatClock(time), "01:30")
    assert.strictEqual(formatExact(time), "Wed, Nov 25, 2026, 01:30 (Asia/Tokyo)")
    set({ timeZone: "America/Los_Angeles", hours: 12 })
    assert.strictEqual(dayKey(time), "2026-11-24")
    assert.strictEqual(formatClock(time).replace("\u202F", " "), "8:30 AM")
  })

  it.each(["Asia/Tokyo", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"])(
    "What the fields of a time show is read as the same instant, around the days on which clocks change: %s",
    (timeZone) => {
      set({ timeZone })
      for (let at = Date.UTC(2026, 2, 1); at < Date.UTC(2026, 11, 1); at += 5 * 60 * 60 * 1000) {
        const iso = new Date(at).toISOString()
        const read = fromTexts(toTexts(iso))
        // Of the hour that comes twice, fields can't tell which one.
        assert.deepStrictEqual(toTexts(read), toTexts(iso))
        assert.isAtMost(Math.abs(Date.parse(read ?? "") - at), 60 * 60 * 1000)
      }
    }
  )

  it("A time that the clocks skip becomes one after it", () => {
    set({ timeZone: "Europe/Berlin" })
    assert.strictEqual(fromLocalInput("2026-03-29T02:30"), "2026-03-29T01:30:00.000Z")
    set({ timeZone: "America/New_York" })
    assert.strictEqual(fromLocalInput("2026-03-08T02:30"), "2026-03-08T07:30:00.000Z")
  })

  it.each([
    [
      "Europe/Berlin",
      "2027-10-31T02:30",
      ["2027-10-31T00:30:00.000Z", "2027-10-31T01:30:00.000Z"],
      ["+02:00", "+01:00"]
    ],
    [
      "America/New_York",
      "2027-11-07T01:00",
      ["2027-11-07T05:00:00.000Z", "2027-11-07T06:00:00.000Z"],
      ["−04:00", "−05:00"]
    ],
    [
      "Australia/Lord_Howe",
      "2027-04-04T01:45",
      ["2027-04-03T14:45:00.000Z", "2027-04-03T15:15:00.000Z"],
      ["+11:00", "+10:30"]
    ]
  ])(
    "A wall time that comes twice in %s has two instants, whichever of them was chosen",
    (timeZone, wall, both, offsets) => {
      set({ timeZone })
      assert.strictEqual(fromLocalInput(wall), both[0])
      for (const at of both) {
        const found = doubledTime(at)
        assert.deepStrictEqual(
          found?.map((time) => time.at),
          both
        )
        assert.deepStrictEqual(
          found?.map(({ offset }) => offset),
          offsets.map((offset) => `UTC${offset}`)
        )
      }
    }
  )

  it.each([
    ["Europe/Berlin", "2027-10-31T00:00Z", 8],
    ["Europe/Berlin", "2027-03-28T00:00Z", 0],
    ["Australia/Lord_Howe", "2027-04-03T15:00Z", 4]
  ])(
    "Around a change of the clocks of %s at %s, only the times that come twice are doubled",
    (timeZone, change, count) => {
      set({ timeZone })
      const quarters = Array.from({ length: 200 }, (_, index) => Date.parse(change) + (index - 100) * 15 * 60_000)
      const found = quarters.filter((at) => doubledTime(new Date(at).toISOString()) !== undefined)
      assert.strictEqual(found.length, count)
    }
  )

  it("A time in an address is one of the chosen zone, unless it names another", () => {
    set({ timeZone: "Asia/Tokyo" })
    assert.strictEqual(fromAddress("2026-11-24T09:00"), "2026-11-24T00:00:00.000Z")
    assert.strictEqual(fromAddress("2026-11-24T09:00:00-05:00"), "2026-11-24T14:00:00.000Z")
    for (const text of [null, "2026-11-24T09:00:00", "Nov 24, 2026", "TZ", "2026-13-24T09:00Z"]) {
      assert.isNull(fromAddress(text))
    }
  })

  it("A post that arrow keys move back an hour passes the hour that clocks skip", () => {
    set({ timeZone: "Europe/Berlin" })
    assert.strictEqual(movedBy("2026-03-29T01:30:00Z", -1).toISOString(), "2026-03-29T00:30:00.000Z")
    assert.strictEqual(movedBy("2026-10-25T00:30:00Z", 1).toISOString(), "2026-10-25T01:30:00.000Z")
    assert.strictEqual(movedBy("2026-10-24T07:00:00Z", 24).toISOString(), "2026-10-25T08:00:00.000Z")
  })

  it.each(["", "2026-11-24", "2026-11-24T09", "tomorrow", "2026-11-24T09:00Z", "2026-11-24T09:00+01:00"])(
    "What is no time of a field is none: %j",
    (text) => {
      assert.isNull(fromLocalInput(text))
    }
  )

  it("A day whose later weeks would have years of five digits is none", () => {
    assert.isUndefined(parseDay("9999-12-31"))
    assert.isDefined(parseDay("9990-12-31"))
  })

  it("Days of the calendar have 23 and 25 hours where clocks change, and a post keeps its time of the day", () => {
    set({ timeZone: "Europe/Berlin" })
    const nine = new Date("2026-10-24T07:00:00Z")
    assert.strictEqual(addDays(nine, 1).toISOString(), "2026-10-25T08:00:00.000Z")
    const day = parseDay("2026-03-29")
    assert.strictEqual(day?.toISOString(), "2026-03-28T23:00:00.000Z")
    const moved = timeInSlot({ day: day ?? new Date(0) }, "2026-03-20T07:15:30.250Z")
    assert.strictEqual(moved.toISOString(), "2026-03-29T06:15:30.250Z")
  })

  it.each(["America/Santiago", "Africa/Cairo", "Asia/Beirut", "America/Havana", "Atlantic/Azores", "Europe/Berlin"])(
    "Days and weeks begin at their first minute all year, also after a midnight that clocks skip or repeat: %s",
    (timeZone) => {
      set({ timeZone, weekStartsOn: "sunday" })
      const [quarter, hour] = [15 * 60_000, 60 * 60_000]
      const firstMinutes = new Map<string, number>()
      for (let end = Date.UTC(2025, 10, 1); end < Date.UTC(2027, 2, 1); end += hour) {
        if (firstMinutes.has(dayKey(new Date(end)))) continue
        // The day has begun within the last hour.
        for (let at = end - hour + quarter; at <= end; at += quarter) {
          const key = dayKey(new Date(at))
          if (!firstMinutes.has(key)) firstMinutes.set(key, at)
        }
      }
      const assertFirst = (time: Date) => {
        assert.strictEqual(time.toISOString(), new Date(firstMinutes.get(dayKey(time)) ?? 0).toISOString())
      }
      for (let date = 1; date <= 365; date++) {
        const noon = new Date((firstMinutes.get(dayKey(timeOfZone(2026, 0, date, 12))) ?? 0) + 12 * 60 * 60_000)
        for (const view of date % 10 === 0 ? (["week", "month"] as const) : (["week"] as const)) {
          const { days, from, to } = rangeOf(view, noon)
          for (const time of [...days, from, to]) assertFirst(time)
        }
        for (const index of [-2, 0, 5]) assertFirst(weekAt(startOfWeek(noon), index))
      }
    }
  )

  it.each([
    ["monday", "2026-10-26", "2026-12-07"],
    ["sunday", "2026-11-01", "2026-12-06"],
    ["saturday", "2026-10-31", "2026-12-05"]
  ] as const)("A month begins with the week of its first day, which begins on %s", (weekStartsOn, first, end) => {
    set({ weekStartsOn, timeZone: "Pacific/Auckland" })
    const { days, from, title, to } = rangeOf("month", timeOfZone(2026, 10, 24))
    assert.deepStrictEqual([dayKey(from), dayKey(to), title], [first, end, "November 2026"])
    assert.strictEqual(days.length % 7, 0)
    assert.deepStrictEqual([dayKey(days[0] ?? to), dayKey(addDays(days.at(-1) ?? from, 1))], [first, end])
  })

  it("Today is the day of the chosen zone, also where the browser is a day behind", () => {
    set({ timeZone: "Pacific/Kiritimati" })
    const { title } = rangeOf("week", new Date("2026-11-22T11:00:00Z"))
    assert.match(title, /Nov 23/)
    assert.strictEqual(inZone("2026-11-22T11:00:00Z").getDay(), 1)
  })

  it("Quick choices and hours are written with the chosen clock", () => {
    const labels = () => quickTimes(new Date("2026-11-24T16:30:00Z")).map(({ label }) => label.replace("\u202F", " "))
    set({ timeZone: "Asia/Tokyo" })
    assert.deepStrictEqual(labels(), ["In an hour", "Tomorrow 9:00", "Next Monday 9:00"])
    const proposed = quickTimes(new Date("2026-11-24T16:30:00Z"), (day) => new Date(day.getTime() + 5 * 60_000))
    assert.match(proposed[1]?.label ?? "", /^Tomorrow \d+:35/)
    assert.strictEqual(quickTimes(new Date("2026-11-24T16:30:00Z"))[1]?.at.toISOString(), "2026-11-26T00:00:00.000Z")
    set({ timeZone: "Asia/Tokyo", hours: 12 })
    assert.deepStrictEqual(labels(), ["In an hour", "Tomorrow 9 AM", "Next Monday 9 AM"])
    assert.strictEqual(formatHour(timeOfZone(2000, 0, 3, 14)).replace("\u202F", " "), "2 PM")
  })
})

describe("A time of the day as it is typed", () => {
  it.each([
    ["14:30", 14, 30],
    ["9", 9, 0],
    ["0930", 9, 30],
    ["7.05", 7, 5],
    ["2:30 pm", 14, 30],
    ["12 am", 0, 0],
    ["12p", 12, 0],
    ["9 a.m.", 9, 0],
    ["9:00\u202FPM", 21, 0]
  ])("%j is %i hours and %i minutes", (text, hour, minute) => {
    assert.deepStrictEqual(parseClock(text), { hour, minute })
  })

  it.each(["", "24:00", "9:60", "13 pm", "0 am", "nine", "1:2", "12345"])("%j is none", (text) => {
    assert.isUndefined(parseClock(text))
  })

  it("It is shown in the person's own clock, and read from either", () => {
    set({ timeZone: "Europe/Berlin", hours: 12 })
    const at = "2026-11-24T16:30:00.000Z"
    assert.deepStrictEqual(toTexts(at), { day: "2026-11-24", clock: "5:30 PM" })
    assert.strictEqual(fromTexts({ day: "2026-11-24", clock: "5:30 PM" }), at)
    assert.strictEqual(fromTexts({ day: "2026-11-24", clock: "17:30" }), at)
    assert.isNull(fromTexts({ day: "2026-11-24", clock: "" }))
    assert.isNull(fromTexts({ day: "", clock: "17:30" }))
  })
})
