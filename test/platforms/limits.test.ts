import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { maxVideoBytes } from "../../src/domain/plain/limits.ts"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { live } from "../../src/platforms/live.ts"
import { uploadSegments } from "../../src/platforms/twitter/limits.ts"
import { segmentBytes } from "../../src/platforms/twitter/media.ts"

/**
 * The day on which somebody last compared limits with their sources. Who checks one moves this day, and then the test
 * names all others that are too old. It never fails because time passes: that would stop unrelated changes.
 */
const lastReview = "2026-11-29"

const oldest = DateTime.formatIsoDateUtc(DateTime.subtract(DateTime.makeUnsafe(lastReview), { months: 6 }))

const decodeLimits = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Finite))

const readLimits = async (platform: LivePlatform) => {
  const values = decodeLimits(await import(`../../src/platforms/${platform}/limits.ts`))
  return Object.entries(live[platform].limitSources).map(([name, source]) => ({
    name: `${platform} ${name}`,
    value: values[name] ?? 0,
    ...source
  }))
}

const all = (await Promise.all(livePlatforms.map(readLimits))).flat()

describe("the limits of platforms", () => {
  it("Each has a source and the day of its check", () => {
    for (const { checked, name, source, value } of all) {
      assert.isAbove(value, 0, name)
      assert.isAbove(source.length, 10, name)
      assert.match(checked, /^20\d\d-[01]\d-[0-3]\d$/, name)
    }
  })

  it("None was checked more than six months before the last review", () => {
    assert.deepStrictEqual(
      all.filter(({ checked }) => checked < oldest).map(({ name }) => name),
      []
    )
  })

  it("The last review is the day of the latest check", () => {
    assert.deepStrictEqual(
      all.filter(({ checked }) => checked > lastReview).map(({ name }) => name),
      []
    )
    assert.isTrue(all.some(({ checked }) => checked === lastReview))
  })

  it("The largest video of a library fits into the segments of an upload to X", () => {
    assert.isAtMost(Math.ceil(maxVideoBytes / segmentBytes), uploadSegments)
  })
})
