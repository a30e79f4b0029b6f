import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { freeHour, freeSlots, proposedTime } from "../../src/dashboard/shared/plan/freeTimes.ts"
import { timeSettings } from "../../src/dashboard/ui/time/zone.ts"

const show = (timeZone: string | null) => timeSettings.set({ hours: 24, weekStartsOn: "monday", timeZone })
beforeEach(() => show("Europe/Berlin"))
afterEach(() => show(null))

const day = new Date("2030-01-15T12:00:00Z")
const morning = new Date("2030-01-15T06:00:00Z")
const postAt = (at: string | null) => ({ id: `at ${at}`, scheduled_at: at })
const slotAt = (at: string, ...posts: ReadonlyArray<string>) => ({ at, platforms: null, post_ids: posts })

describe("Free times of a day", () => {
  it("Without slots the first full hour from nine on is free that no post has and that is ahead", () => {
    const free = (now: Date, ...times: ReadonlyArray<string | null>) =>
      freeHour(day, now, times.map(postAt))?.toISOString()
    assert.strictEqual(free(morning), "2030-01-15T08:00:00.000Z")
    assert.strictEqual(free(morning, "2030-01-15T08:00:30.000Z", null), "2030-01-15T09:00:00.000Z")
    assert.strictEqual(free(morning, "2030-01-15T08:01:00.000Z"), "2030-01-15T08:00:00.000Z")
    assert.strictEqual(free(new Date("2030-01-15T10:30:00Z"), "2030-01-15T11:00:00Z"), "2030-01-15T12:00:00.000Z")
    assert.isUndefined(free(new Date("2030-01-15T22:00:00Z")))
  })

  it("A slot is free if no other post has it, it is ahead and takes the post's platforms", () => {
    const slots = [
      slotAt("2030-01-15T05:00:00.000Z"),
      slotAt("2030-01-15T09:00:00.000Z", "one"),
      { ...slotAt("2030-01-15T10:00:00.000Z"), platforms: ["twitter"] as const },
      slotAt("2030-01-15T11:00:00.000Z")
    ]
    const hours = (options = {}) => freeSlots(slots, morning, options).map((slot) => slot.getUTCHours())
    assert.deepStrictEqual(hours(), [10, 11])
    assert.deepStrictEqual(hours({ postId: "one" }), [9, 10, 11])
    assert.deepStrictEqual(hours({ platforms: ["twitter", "bluesky"] }), [11])
  })

  it("A day's free slot is proposed, and of a day without one its free hour", () => {
    const slots = [new Date("2030-01-14T23:30:00Z"), new Date("2030-01-15T16:00:00Z")]
    const propose = (of: string) => proposedTime(new Date(of), morning, { posts: [], slots })?.toISOString()
    assert.strictEqual(propose("2030-01-15T12:00:00Z"), "2030-01-14T23:30:00.000Z")
    assert.strictEqual(propose("2030-01-16T12:00:00Z"), "2030-01-16T08:00:00.000Z")
  })
})
