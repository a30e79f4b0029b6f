import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Schema } from "effect"
import { Instant, parseInstant } from "../../src/domain/instant.ts"

const iso = (text: string) => Option.getOrNull(Option.map(parseInstant(text), DateTime.formatIso))

describe("Instant", () => {
  it.each([
    ["2030-01-31T09:00:00Z", "2030-01-31T09:00:00.000Z"],
    ["2030-01-31T09:00Z", "2030-01-31T09:00:00.000Z"],
    ["2030-01-31t09:00:00z", "2030-01-31T09:00:00.000Z"],
    ["2030-01-31T09:00:00.123456+02:00", "2030-01-31T07:00:00.123Z"],
    ["2030-01-01T00:30:00+01:00", "2029-12-31T23:30:00.000Z"],
    ["2028-02-29T00:00:00-11:30", "2028-02-29T11:30:00.000Z"]
  ])("%s is read as %s", (text, expected) => {
    assert.strictEqual(iso(text), expected)
  })

  it.each([
    "",
    "1",
    "now",
    "Dec 1 2026",
    "2030-01-31",
    "2030-01-31T09:00:00",
    "2030-01-31 09:00:00Z",
    "2030-02-30T00:00:00Z",
    "2027-02-29T00:00:00Z",
    "2030-13-01T00:00:00Z",
    "2030-00-01T00:00:00Z",
    "2030-01-00T00:00:00Z",
    "2030-01-31T24:00:00Z",
    "2030-01-31T09:60:00Z",
    "2030-01-31T09:00:60Z",
    "2030-01-31T09:00:00+24:00",
    "2030-01-31T09:00:00+0200",
    "+002030-01-31T09:00:00Z",
    " 2030-01-31T09:00:00Z",
    "2030-01-31T09:00:00Z\n",
    "0000-01-01T00:00:00Z",
    "２０３０-01-31T09:00:00Z"
  ])("%j is refused", (text) => {
    assert.isNull(iso(text))
  })

  it("The error says what is expected, and times are encoded in UTC with milliseconds", () => {
    assert.throws(() => Schema.decodeSync(Instant)("tomorrow"), /Expected an ISO 8601 date and time with a zone/)
    assert.strictEqual(Schema.encodeSync(Instant)(DateTime.makeUnsafe(0)), "1970-01-01T00:00:00.000Z")
  })
})
