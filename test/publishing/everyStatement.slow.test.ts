import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { publishingWork } from "../chaos/support/statementFaults.ts"
import { faultsAtEveryStatement } from "../support/process/faultsAtEveryStatement.ts"

// Starts early: it repeats the same work for every statement.

it.live(
  "Whichever statement of publishing loses its connection, the work is done once within a minute, and clients see nothing worse than 503",
  () =>
    Effect.gen(function* () {
      const { reached, wrong } = yield* faultsAtEveryStatement(publishingWork)
      assert.deepStrictEqual(wrong, [])
      assert.isAtLeast(reached, 25)
    })
)
