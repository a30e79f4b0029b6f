import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Latch, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { PasswordsBusy, WrongCredentials } from "../../../src/domain/errors.ts"
import { makeAddressLimit } from "../../../src/http/caller/addressLimit.ts"
import { failuresWith } from "../../../src/http/caller/attemptLimit.ts"

const from = (address: string) =>
  HttpServerRequest.fromWeb(new Request("http://service.test/")).modify({ remoteAddress: Option.some(address) })

const withoutAddress = HttpServerRequest.fromWeb(new Request("http://service.test/"))

const wrongOnes = failuresWith("WrongCredentials", "Too many were wrong")

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

  it.effect("Only an attempt that fails in the way that counts is counted", () =>
    Effect.gen(function* () {
      const { run, wait } = makeAddressLimit({ perMinute: 1 })
      const attempts: ReadonlyArray<Effect.Effect<unknown, PasswordsBusy | WrongCredentials>> = [
        Effect.void,
        new PasswordsBusy(),
        Effect.die("A defect"),
        Effect.interrupt
      ]
      for (const attempt of attempts) yield* Effect.exit(run(from("192.0.2.1"), attempt, wrongOnes))
      assert.deepStrictEqual(yield* wait(from("192.0.2.1")), Option.none())
      yield* Effect.exit(run(from("192.0.2.1"), new WrongCredentials(), wrongOnes))
      const refused = yield* Effect.flip(run(from("192.0.2.1"), Effect.die("It ran"), wrongOnes))
      assert.deepInclude(refused, { message: "Too many were wrong", wait: Duration.minutes(1) })
    })
  )

  it.effect("Attempts count while they run, until they turn out to be good", () =>
    Effect.gen(function* () {
      const { run, wait } = makeAddressLimit({ perMinute: 2 })
      const latches = [Latch.makeUnsafe(), Latch.makeUnsafe()]
      const running = yield* Effect.forEach(latches, (latch) =>
        Effect.forkChild(run(from("192.0.2.1"), latch.await, wrongOnes), { startImmediately: true })
      )
      assert.isTrue(Option.isSome(yield* wait(from("192.0.2.1"))))
      assert.isTrue(Option.isNone(yield* wait(from("192.0.2.2"))))
      yield* Effect.forEach(latches, (latch) => latch.open)
      yield* Effect.forEach(running, Fiber.join)
      assert.isTrue(Option.isNone(yield* wait(from("192.0.2.1"))))
    })
  )

  it.effect("A good attempt takes back nothing but itself", () =>
    Effect.gen(function* () {
      const { count, run, wait } = makeAddressLimit({ perMinute: 2 })
      for (const address of ["192.0.2.1", "192.0.2.2", "192.0.2.2"]) yield* count(from(address))
      yield* run(from("192.0.2.1"), Effect.void, wrongOnes)
      yield* count(from("192.0.2.1"))
      const throttled = yield* Effect.forEach(["192.0.2.1", "192.0.2.2"], (address) => wait(from(address)))
      assert.deepStrictEqual(throttled.map(Option.isSome), [true, true])
    })
  )

  it.effect("A good attempt that ends after its minute takes back none of the next", () =>
    Effect.gen(function* () {
      const { count, run, wait } = makeAddressLimit({ perMinute: 1 })
      const latch = Latch.makeUnsafe()
      const running = yield* Effect.forkChild(run(from("192.0.2.1"), latch.await, wrongOnes), {
        startImmediately: true
      })
      yield* TestClock.adjust("1 minute")
      yield* count(from("192.0.2.1"))
      yield* latch.open
      yield* Fiber.join(running)
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
