import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { makeAddressLimit } from "../../../src/http/caller/addressLimit.ts"

const from = (address: string) =>
  HttpServerRequest.fromWeb(new Request("http://service.test/")).modify({ remoteAddress: Option.some(address) })

const withoutAddress = HttpServerRequest.fromWeb(new Request("http://service.test/"))

describe("address limit", () => {
  it.effect("An address has its limit in each minute from its first failed attempt", () =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 2 })
      yield* count(from("192.0.2.1"))
      yield* TestClock.adjust("40 seconds")
      assert.deepStrictEqual(yield* wait(from("192.0.2.1")), Option.none())
      yield* count(from("192.0.2.1"))
      assert.deepStrictEqual(yield* wait(from("192.0.2.1")), Option.some(Duration.seconds(20)))
      assert.deepStrictEqual(yield* wait(from("192.0.2.2")), Option.none())
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* wait(from("192.0.2.1")), Option.none())
    })
  )

  it.effect("An attempt that is refunded does not count", () =>
    Effect.gen(function* () {
      const { reserve, wait } = makeAddressLimit({ perMinute: 1 })
      for (let attempt = 0; attempt < 5; attempt++) yield* Effect.flatten(reserve(from("192.0.2.1")))
      assert.deepStrictEqual(yield* wait(from("192.0.2.1")), Option.none())
    })
  )

  it.effect("A refund takes back one attempt, and leaves the others of its address and of every other", () =>
    Effect.gen(function* () {
      const { count, reserve, wait } = makeAddressLimit({ perMinute: 2 })
      for (const address of ["192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.2"]) yield* count(from(address))
      const refund = yield* reserve(from("192.0.2.1"))
      yield* refund
      const throttled = yield* Effect.forEach(["192.0.2.1", "192.0.2.2"], (address) => wait(from(address)))
      assert.deepStrictEqual(throttled.map(Option.isSome), [true, true])
    })
  )

  it.effect("A refund after the end of its minute takes back no attempt of the next", () =>
    Effect.gen(function* () {
      const { count, reserve, wait } = makeAddressLimit({ perMinute: 1 })
      const refund = yield* reserve(from("192.0.2.1"))
      yield* TestClock.adjust("1 minute")
      yield* count(from("192.0.2.1"))
      yield* refund
      assert.isTrue(Option.isSome(yield* wait(from("192.0.2.1"))))
    })
  )

  it.effect.each([
    { first: "192.0.2.1", second: "::ffff:192.0.2.1", verb: "counts" },
    { first: "2001:db8:1:2::1", second: "2001:db8:1:2:3:4:5:6", verb: "counts" },
    { first: "2001:db8:1:2::1", second: "2001:db8:1:3::1", verb: "does not count" },
    { first: "a socket", second: "another socket", verb: "does not count" }
  ])("An attempt from $first $verb against $second", ({ first, second, verb }) =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 1 })
      yield* count(from(first))
      assert.strictEqual(Option.isSome(yield* wait(from(second))), verb === "counts")
    })
  )

  it.effect("All callers without an address share a limit", () =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 1 })
      yield* count(withoutAddress)
      assert.isTrue(Option.isSome(yield* wait(withoutAddress)))
    })
  )

  it.effect("At most 10,000 addresses are counted, and the oldest is dropped first", () =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 1 })
      const address = (index: number) => from(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
      for (let index = 0; index <= 10_000; index++) yield* count(address(index))
      const remembered = yield* Effect.forEach([0, 1, 10_000], (index) => wait(address(index)))
      assert.deepStrictEqual(remembered.map(Option.isSome), [false, true, true])
    })
  )
})
