import { Effect, type Redacted, type Scope } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { type FaultResult, injectAtEveryStatement, type Work } from "../../chaos/support/statementFaults.ts"
import { freshDatabase } from "../database/testDatabase.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "statements-"))),
  (created) => Effect.promise(() => rm(created, { recursive: true, force: true }))
)

/**
 * Repeats `work` and loses the connection at another statement each time. Returns the failures, and the number of
 * statements that were reached.
 */
export const faultsAtEveryStatement = <E>(
  work: (databaseUrl: Redacted.Redacted, directory: string) => Effect.Effect<Work, E, Scope.Scope>
) =>
  Effect.gen(function* () {
    const results: Array<FaultResult> = []
    const begun = yield* work(yield* freshDatabase, yield* temporaryDirectory)
    yield* injectAtEveryStatement(begun, ["lost before", "lost after"], (result) =>
      Effect.sync(() => void results.push(result))
    )
    return {
      wrong: results.flatMap(({ fault, statement, wrong }) => wrong.map((each) => `${fault}: ${statement}: ${each}`)),
      reached: results.filter(({ fault, isMissed }) => fault === "lost after" && !isMissed).length
    }
  }).pipe(Effect.scoped)
