import { assert, describe, it } from "@effect/vitest"
import type { CallState } from "../../src/platforms/lastCall.ts"
import { makeSlots } from "../../src/publishing/slots.ts"

const pds = { platform: "bluesky", host: "https://pds.test" } as const
const jitter = 0.5

/** Takes slots of one host, and ends the attempts at `now`, all with the same result. */
const attemptOn = (slots: ReturnType<typeof makeSlots>, times: number, lastCall: CallState["state"], now: number) => {
  for (let attempt = 0; attempt < times; attempt++) slots.take(pds)
  return Array.from({ length: times }, () => slots.end(pds, lastCall, now, jitter))
}

const freeOnPds = (slots: ReturnType<typeof makeSlots>, now: number) =>
  slots.free(now).hosts[pds.host] ?? slots.free(now).perHost

describe("slots", () => {
  it("X has as many slots as its host has", () => {
    const slots = makeSlots()
    const onX = { platform: "twitter", host: "twitter" } as const
    for (let attempt = 0; attempt < 5; attempt++) slots.take(onX)
    assert.strictEqual(slots.free(0).platforms.twitter, 251)
    for (let attempt = 0; attempt < 5; attempt++) slots.end(onX, "waiting", 0, jitter)
    assert.strictEqual(slots.free(1000).platforms.twitter, 0)
    assert.strictEqual(slots.free(6000).platforms.twitter, 1)
  })

  it("Bluesky has 256 slots, its own host 224 and each other host 128", () => {
    const slots = makeSlots()
    for (let attempt = 0; attempt < 128; attempt++) slots.take(pds)
    for (let attempt = 0; attempt < 24; attempt++) slots.take({ platform: "twitter", host: "twitter" })
    assert.deepStrictEqual(slots.free(0), {
      platforms: { twitter: 232, bluesky: 128 },
      perHost: 128,
      hosts: { twitter: 232, bluesky: 224, [pds.host]: 0 }
    })
    slots.end(pds, "answered", 0, jitter)
    assert.strictEqual(freeOnPds(slots, 0), 1)
    assert.strictEqual(slots.free(0).platforms.bluesky, 129)
  })

  it("After five attempts in a row without a response a host gets one attempt at a time, after pauses that grow to 30 seconds", () => {
    const slots = makeSlots()
    assert.deepStrictEqual(attemptOn(slots, 5, "waiting", 0), [undefined, undefined, undefined, undefined, "opened"])
    assert.strictEqual(slots.openCircuits(0), 1)
    const pauses: Array<number> = []
    let now = 0
    for (let probe = 0; probe < 5; probe++) {
      let pause = 0
      while (freeOnPds(slots, now + pause) === 0) pause += 1000
      now += pause
      pauses.push(pause / 1000)
      assert.strictEqual(freeOnPds(slots, now), 1)
      slots.take(pds)
      assert.strictEqual(freeOnPds(slots, now + 60_000), 0)
      slots.end(pds, "waiting", now, jitter)
    }
    assert.deepStrictEqual(pauses, [5, 10, 20, 30, 30])
  })

  it("A host that responds to an attempt has all of its slots again", () => {
    const slots = makeSlots()
    attemptOn(slots, 5, "waiting", 0)
    assert.deepStrictEqual(attemptOn(slots, 1, "answered", 6000), ["closed"])
    assert.strictEqual(freeOnPds(slots, 6000), 128)
    assert.strictEqual(slots.openCircuits(6000), 0)
  })

  it("A host that responded and then does not again is probed after five seconds first", () => {
    const slots = makeSlots()
    attemptOn(slots, 5, "waiting", 0)
    for (let probe = 0; probe < 4; probe++) attemptOn(slots, 1, "waiting", 0)
    attemptOn(slots, 1, "answered", 60_000)
    attemptOn(slots, 5, "waiting", 60_000)
    assert.strictEqual(freeOnPds(slots, 64_999), 0)
    assert.strictEqual(freeOnPds(slots, 65_000), 1)
  })

  it("Many attempts that end together without a response are followed by one pause of five seconds", () => {
    const slots = makeSlots()
    attemptOn(slots, 32, "waiting", 0)
    assert.strictEqual(freeOnPds(slots, 4999), 0)
    assert.strictEqual(freeOnPds(slots, 5000), 1)
  })

  it("A response between attempts without one, or an attempt that made no call, does not open its circuit", () => {
    const slots = makeSlots()
    attemptOn(slots, 4, "waiting", 0)
    attemptOn(slots, 10, "none", 0)
    assert.strictEqual(slots.openCircuits(0), 0)
    attemptOn(slots, 1, "answered", 0)
    attemptOn(slots, 4, "waiting", 0)
    assert.strictEqual(slots.openCircuits(0), 0)
  })

  it("A host on which nothing was attempted for more than ten minutes is forgotten", () => {
    const slots = makeSlots()
    attemptOn(slots, 5, "waiting", 0)
    assert.strictEqual(slots.openCircuits(10 * 60_000), 1)
    assert.strictEqual(slots.openCircuits(10 * 60_000 + 1), 0)
    assert.deepStrictEqual(slots.free(10 * 60_000 + 1).hosts, { twitter: 256, bluesky: 224 })
  })
})
