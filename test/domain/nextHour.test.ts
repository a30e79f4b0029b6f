import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { nextHour } from "../../src/domain/nextHour.ts"

const next = (now: string, hour: number, zone: string | null) =>
  DateTime.formatIso(nextHour(DateTime.makeUnsafe(now), hour, zone))

describe("the next time at an hour", () => {
  it.each([
    ["before the hour", "2026-11-30T06:59:59Z", 8, "Europe/Berlin", "2026-11-30T07:00:00.000Z"],
    ["at the hour", "2026-11-30T07:00:00Z", 8, "Europe/Berlin", "2026-12-01T07:00:00.000Z"],
    [
      "west of Greenwich, on the day before",
      "2026-12-01T03:00:00Z",
      21,
      "America/Los_Angeles",
      "2026-12-01T05:00:00.000Z"
    ],
    ["without a zone", "2026-11-30T09:00:00Z", 8, null, "2026-12-01T08:00:00.000Z"],
    ["in a zone that nobody knows", "2026-11-30T09:00:00Z", 8, "Mars/Olympus", "2026-12-01T08:00:00.000Z"],
    ["on the day before clocks go forward", "2027-03-27T07:30:00Z", 8, "Europe/Berlin", "2027-03-28T06:00:00.000Z"],
    ["at an hour that clocks skip", "2027-03-28T00:00:00Z", 2, "Europe/Berlin", "2027-03-28T01:00:00.000Z"],
    ["at an hour that comes twice", "2026-10-24T23:00:00Z", 2, "Europe/Berlin", "2026-10-25T00:00:00.000Z"],
    ["between the two", "2026-10-25T00:30:00Z", 2, "Europe/Berlin", "2026-10-26T01:00:00.000Z"]
  ])("It is correct %s", (_, now, hour, zone, expected) => {
    assert.strictEqual(next(now, hour, zone), expected)
  })
})
