import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { makeAddressLimit } from "../../../src/http/caller/addressLimit.ts"

const from = (address: string) =>
  HttpServerRequest.fromWeb(new Request("http://service.test/")).modify({ remoteAddress: Option.some(address) })

const nobody = HttpServerRequest.fromWeb(new Request("http://service.test/"))

describe("what an address may get wrong", () => {
  it.effect("is so much in a minute, which begins with the first mistake", () =>
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

  it.effect("is not used up by what turns out to be right", () =>
    Effect.gen(function* () {
      const { count, refund, wait } = makeAddressLimit({ perMinute: 1 })
      for (let attempt = 0; attempt < 5; attempt++) {
        yield* count(from("192.0.2.1"))
        yield* refund(from("192.0.2.1"))
      }
      assert.deepStrictEqual(yield* wait(from("192.0.2.1")), Option.none())
      yield* refund(from("192.0.2.9"))
    })
  )

  it.effect.each([
    { first: "192.0.2.1", second: "::ffff:192.0.2.1", same: true },
    { first: "2001:db8:1:2::1", second: "2001:db8:1:2:3:4:5:6", same: true },
    { first: "2001:db8:1:2::1", second: "2001:db8:1:3::1", same: false },
    { first: "a socket", second: "another socket", same: false }
  ])("is counted by subscriber: $first and $second are the same: $same", ({ first, second, same }) =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 1 })
      yield* count(from(first))
      assert.strictEqual(Option.isSome(yield* wait(from(second))), same)
    })
  )

  it.effect("is counted for callers without an address together", () =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 1 })
      yield* count(nobody)
      assert.isTrue(Option.isSome(yield* wait(nobody)))
    })
  )

  it.effect("is remembered of 10,000 addresses at most, and forgotten of the first one first", () =>
    Effect.gen(function* () {
      const { count, wait } = makeAddressLimit({ perMinute: 1 })
      const address = (index: number) => from(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`)
      for (let index = 0; index <= 10_000; index++) yield* count(address(index))
      const remembered = yield* Effect.forEach([0, 1, 10_000], (index) => wait(address(index)))
      assert.deepStrictEqual(remembered.map(Option.isSome), [false, true, true])
    })
  )
})
