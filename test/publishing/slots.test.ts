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

const onX = { platform: "twitter", host: "twitter" } as const

/** Has a host respond, so that it gets all of its slots. */
const respond = (slots: ReturnType<typeof makeSlots>, attempt: typeof pds | typeof onX, now = 0) => {
  slots.take(attempt)
  slots.end(attempt, "answered", now, jitter)
}

describe("slots", () => {
  it("A host that has not responded yet gets sixteen attempts at a time", () => {
    assert.deepStrictEqual(makeSlots().free(0), {
      platforms: {
        twitter: 16,
        bluesky: 256,
        linkedin: 16,
        instagram: 16,
        youtube: 16,
        tiktok: 16,
        threads: 16,
        facebook: 16
      },
      perHost: 16,
      hosts: {
        twitter: 16,
        bluesky: 16,
        linkedin: 16,
        instagram: 16,
        youtube: 16,
        tiktok: 16,
        threads: 16,
        facebook: 16
      }
    })
  })

  it("A host has all of its slots once it has responded, for a minute", () => {
    const slots = makeSlots()
    for (let attempt = 0; attempt < 16; attempt++) slots.take(onX)
    assert.strictEqual(slots.free(0).platforms.twitter, 0)
    slots.end(onX, "answered", 0, jitter)
    assert.strictEqual(slots.free(60_000).platforms.twitter, 241)
    assert.strictEqual(slots.free(60_001).platforms.twitter, 1)
  })

  it("A host that fails and has not responded for five seconds gets sixteen attempts at a time, until it responds", () => {
    const slots = makeSlots()
    respond(slots, onX)
    slots.take(onX)
    slots.end(onX, "waiting", 4000, jitter)
    assert.deepStrictEqual([slots.free(5000).platforms.twitter, slots.free(5001).platforms.twitter], [256, 16])
    respond(slots, onX, 6000)
    assert.strictEqual(slots.free(6000).platforms.twitter, 256)
  })

  it("A host that leaves most of its attempts without a response and answers the others keeps all of its slots", () => {
    const slots = makeSlots()
    for (let second = 0; second < 20; second++) {
      for (let attempt = 0; attempt < 6; attempt++) slots.take(onX)
      respond(slots, onX, second * 1000)
    }
    for (let attempt = 0; attempt < 4; attempt++) slots.end(onX, "waiting", 20_000, jitter)
    assert.strictEqual(slots.free(20_000).platforms.twitter, 256 - 116)
  })

  it("X has as many slots as its host has", () => {
    const slots = makeSlots()
    respond(slots, onX)
    for (let attempt = 0; attempt < 5; attempt++) slots.take(onX)
    assert.strictEqual(slots.free(0).platforms.twitter, 251)
    for (let attempt = 0; attempt < 5; attempt++) slots.end(onX, "waiting", 0, jitter)
    assert.strictEqual(slots.free(1000).platforms.twitter, 0)
    assert.strictEqual(slots.free(6000).platforms.twitter, 1)
  })

  it("Bluesky has 256 slots and each host 128, or 224 as its own", () => {
    const slots = makeSlots()
    respond(slots, pds)
    respond(slots, onX)
    for (let attempt = 0; attempt < 128; attempt++) slots.take(pds)
    for (let attempt = 0; attempt < 24; attempt++) slots.take({ platform: "twitter", host: "twitter" })
    assert.deepStrictEqual(slots.free(0), {
      platforms: {
        twitter: 232,
        bluesky: 128,
        linkedin: 16,
        instagram: 16,
        youtube: 16,
        tiktok: 16,
        threads: 16,
        facebook: 16
      },
      perHost: 16,
      hosts: {
        twitter: 232,
        bluesky: 16,
        linkedin: 16,
        instagram: 16,
        youtube: 16,
        tiktok: 16,
        threads: 16,
        facebook: 16,
        [pds.host]: 0
      }
    })
    slots.end(pds, "answered", 0, jitter)
    assert.strictEqual(freeOnPds(slots, 0), 1)
    assert.strictEqual(slots.free(0).platforms.bluesky, 129)
    const own = { platform: "bluesky", host: "bluesky" } as const
    slots.take(own)
    slots.end(own, "answered", 0, jitter)
    assert.strictEqual(slots.free(0).hosts["bluesky"], 224)
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

  it("A host whose circuit closes gets all of its slots", () => {
    const slots = makeSlots()
    respond(slots, pds)
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
    assert.deepStrictEqual(slots.free(10 * 60_000 + 1).hosts, {
      twitter: 16,
      bluesky: 16,
      linkedin: 16,
      instagram: 16,
      youtube: 16,
      tiktok: 16,
      threads: 16,
      facebook: 16
    })
  })
})
