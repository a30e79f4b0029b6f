import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { collectGarbage } from "../../src/wiring/startMemory.ts"

/** Refers to an object that nothing else holds. */
const referToGarbage = () => new WeakRef({ length: 1000 })

it.effect("After a collection nothing is left of an object that nothing refers to", () =>
  Effect.gen(function* () {
    const garbage = referToGarbage()
    const kept = { length: 1000 }
    const reference = new WeakRef(kept)
    yield* collectGarbage
    assert.isUndefined(garbage.deref())
    assert.strictEqual(reference.deref(), kept)
  })
)
