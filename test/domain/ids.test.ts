import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeIdGenerator } from "../../src/domain/ids.ts"

describe("An id generator", () => {
  it.effect("draws other random bytes for each id, however many it makes", () =>
    Effect.gen(function* () {
      const uuidV7 = makeIdGenerator()
      const drawn = new Set<string>()
      for (let made = 0; made < 2000; made++) {
        yield* TestClock.adjust(1)
        const id = yield* uuidV7()
        assert.match(id, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
        drawn.add(id.slice(-12))
      }
      assert.strictEqual(drawn.size, 2000)
    })
  )
})
