import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { weekdays } from "../../../src/domain/plain/queue.ts"
import { everyHour, findRepeatedEntries, type QueueEntry, sortEntries } from "../../../src/domain/posts/queue.ts"
import { type Queue, slotRange, slotSteps, takes } from "../../../src/domain/posts/slots.ts"
import { finishSteps } from "../../support/steps.ts"

const minute = 60_000
const day = 24 * 60 * minute

const find = (queue: Queue, from: string, until: string) =>
  finishSteps(slotSteps(queue, { from: DateTime.makeUnsafe(from), until: DateTime.makeUnsafe(until) }))

const times = (queue: Queue, from: string, until: string) =>
  find(queue, from, until).map(({ at }) => DateTime.formatIso(at))

/** Reads a clock on the wall, without the service's rules. */
const makeReadWall = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit"
  })
  return (at: number) => {
    const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const [year, month, date] = [part["year"] ?? 0, part["month"] ?? 0, part["day"] ?? 0]
    return Date.UTC(year, month - 1, date, part["hour"], part["minute"])
  }
}

const entriesAt = (...clocks: ReadonlyArray<string>): ReadonlyArray<QueueEntry> =>
  weekdays.flatMap((weekday) => clocks.map((time) => ({ weekday, time })))

/** Times around every change of clocks, which are between 23:00 and 04:00. */
const nightly = entriesAt(
  "00:00",
  "00:30",
  "01:00",
  "01:45",
  "02:00",
  "02:15",
  "02:30",
  "03:00",
  "03:30",
  "09:00",
  "23:30"
)

describe("slotSteps", () => {
  it.each([
    "Australia/Lord_Howe",
    "America/Santiago",
    "Africa/Casablanca",
    "Europe/Dublin",
    "America/Vancouver",
    "Asia/Kathmandu",
    "UTC"
  ])(
    "Ten years of slots in %s are at their wall times: the first of two, and after the gap if there is none",
    (zone) => {
      const read = makeReadWall(zone)
      const offsets = new Map<number, number>()
      const offsetAt = (at: number) => {
        const offset = offsets.get(at) ?? read(at) - at
        offsets.set(at, offset)
        return offset
      }
      const [from, until] = [Date.UTC(2026, 10, 29), Date.UTC(2036, 10, 29)]
      const found = new Set(
        find({ timeZone: zone, entries: nightly }, new Date(from).toISOString(), new Date(until).toISOString()).map(
          ({ at }) => DateTime.toEpochMillis(at)
        )
      )
      const expected = new Set<number>()
      let [skipped, doubled] = [0, 0]
      for (let midnight = from - 2 * day; midnight < until + 2 * day; midnight += day) {
        const [near, far] = [offsetAt(midnight - day), offsetAt(midnight + 2 * day)]
        // Around a change, the offset is one of before or after it. Offsets are multiples of a quarter of an hour.
        const around = Array.from(
          { length: Math.abs(far - near) / (15 * minute) + 9 },
          (_, index) => Math.max(near, far) + (60 - 15 * index) * minute
        )
        for (const { time } of nightly.slice(0, nightly.length / 7)) {
          const [hours = 0, minutes = 0] = time.split(":").map(Number)
          const wall = midnight + (hours * 60 + minutes) * minute
          if (near === far && time !== "09:00") {
            if (wall - near >= from && wall - near < until) expected.add(wall - near)
            continue
          }
          const candidates = near === far ? [near] : around
          const matches = candidates.map((offset) => wall - offset).filter((at) => read(at) === wall)
          const [first] = matches
          if (first === undefined) skipped++
          if (matches.length > 1) doubled++
          // The clocks go on by the offset before the gap.
          const at = first ?? wall - near
          if (at >= from && at < until) expected.add(at)
        }
      }
      assert.deepStrictEqual(
        [...found],
        [...expected].toSorted((left, right) => left - right)
      )
      if (zone === "UTC" || zone === "Asia/Kathmandu") assert.deepStrictEqual([skipped, doubled], [0, 0])
      if (["Australia/Lord_Howe", "America/Santiago", "Europe/Dublin"].includes(zone)) {
        assert.isAtLeast(skipped, 10)
        assert.isAtLeast(doubled, 10)
      }
    }
  )

  it("A time that clocks skip is as much later as they skip, and keeps its slot", () => {
    const queue = { timeZone: "Europe/Berlin", entries: entriesAt("01:30", "02:00", "02:30", "03:15") }
    assert.deepStrictEqual(times(queue, "2027-03-28T00:00:00Z", "2027-03-28T12:00:00Z"), [
      "2027-03-28T00:30:00.000Z",
      "2027-03-28T01:00:00.000Z",
      "2027-03-28T01:15:00.000Z",
      "2027-03-28T01:30:00.000Z"
    ])
  })

  it("A time that comes twice is a slot the first time only", () => {
    const queue = { timeZone: "Europe/Berlin", entries: entriesAt("02:30") }
    assert.deepStrictEqual(times(queue, "2027-10-30T12:00:00Z", "2027-10-31T12:00:00Z"), ["2027-10-31T00:30:00.000Z"])
  })

  it("Two entries that fall on one instant are one slot, for the platforms of both", () => {
    const queue = {
      timeZone: "Europe/Berlin",
      entries: [
        { weekday: "sunday", time: "02:30", platforms: ["twitter"] },
        { weekday: "sunday", time: "03:30", platforms: ["bluesky"] }
      ]
    } as const
    assert.deepStrictEqual(find(queue, "2027-03-28T00:00:00Z", "2027-03-28T12:00:00Z"), [
      { at: DateTime.makeUnsafe("2027-03-28T01:30:00Z"), platforms: ["twitter", "bluesky"] }
    ])
  })

  it("The weekday is that of the zone", () => {
    const sunday = [{ weekday: "sunday", time: "00:30" }] as const
    assert.deepStrictEqual(
      times({ timeZone: "Pacific/Kiritimati", entries: sunday }, "2026-12-01T00:00:00Z", "2026-12-08T00:00:00Z"),
      ["2026-12-05T10:30:00.000Z"]
    )
    assert.deepStrictEqual(
      times({ timeZone: "Pacific/Niue", entries: sunday }, "2026-12-01T00:00:00Z", "2026-12-08T00:00:00Z"),
      ["2026-12-06T11:30:00.000Z"]
    )
  })

  it("The full hours of a zone are its own", () => {
    assert.deepStrictEqual(
      times({ timeZone: "Asia/Kathmandu", entries: everyHour }, "2026-12-01T00:00:00Z", "2026-12-01T02:00:00Z"),
      ["2026-12-01T00:15:00.000Z", "2026-12-01T01:15:00.000Z"]
    )
  })

  it("The range begins a minute from now, at any fraction of a second", () => {
    const queue = { timeZone: "UTC", entries: entriesAt("09:00") }
    const first = (now: string) => {
      const [slot] = finishSteps(slotSteps(queue, slotRange(DateTime.makeUnsafe(now))))
      return slot === undefined ? undefined : DateTime.formatIso(slot.at)
    }
    assert.strictEqual(first("2026-12-01T08:59:00.000Z"), "2026-12-01T09:00:00.000Z")
    assert.strictEqual(first("2026-12-01T08:59:00.001Z"), "2026-12-02T09:00:00.000Z")
  })
})

describe("takes", () => {
  it("A slot with platforms takes only posts whose platforms are all among them", () => {
    const at = DateTime.makeUnsafe("2027-01-01T09:00:00Z")
    assert.isTrue(takes({ at, platforms: null }, ["twitter", "bluesky"]))
    assert.isTrue(takes({ at, platforms: ["twitter", "bluesky"] }, ["bluesky"]))
    assert.isFalse(takes({ at, platforms: ["twitter"] }, ["twitter", "bluesky"]))
  })
})

describe("entries", () => {
  it("A weekday and a time may not repeat, even with other platforms", () => {
    const entries = [
      { weekday: "monday", time: "09:00", platforms: ["twitter"] },
      { weekday: "tuesday", time: "09:00" },
      { weekday: "monday", time: "09:00", platforms: ["bluesky"] }
    ] as const
    assert.deepStrictEqual(findRepeatedEntries(entries), [
      {
        path: ["entries", 2, "time"],
        message: "Entry 0 already has monday at 09:00; a slot holds one post, so list its platforms in one entry"
      }
    ])
  })

  it("Entries are sorted by weekday and time", () => {
    assert.deepStrictEqual(
      sortEntries([
        { weekday: "monday", time: "10:00" },
        { weekday: "monday", time: "09:30" },
        { weekday: "sunday", time: "23:00" }
      ]),
      [
        { weekday: "sunday", time: "23:00" },
        { weekday: "monday", time: "09:30" },
        { weekday: "monday", time: "10:00" }
      ]
    )
  })
})
