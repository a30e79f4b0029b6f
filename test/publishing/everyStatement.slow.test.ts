import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import {
  type FaultResult,
  injectAtEveryStatement,
  publishingWork,
  webhookWork
} from "../chaos/support/statementFaults.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

// Starts early: it is among those that take longest.

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "statements-"))),
  (created) => Effect.promise(() => rm(created, { recursive: true, force: true }))
)

it.live.each([
  { name: "publishing", work: publishingWork, least: 30 },
  { name: "webhooks", work: webhookWork, least: 15 }
])(
  "Whichever statement of $name loses its connection, the work is done once within a minute, and clients see nothing worse than 503",
  ({ least, work }) =>
    Effect.gen(function* () {
      const results: Array<FaultResult> = []
      yield* injectAtEveryStatement(
        yield* work(yield* freshDatabase, yield* temporaryDirectory),
        ["lost before", "lost after"],
        (result) => Effect.sync(() => void results.push(result))
      )
      const wrong = results.flatMap(({ fault, statement, wrong: lines }) =>
        lines.map((line) => `${fault}: ${statement}: ${line}`)
      )
      assert.deepStrictEqual(wrong, [])
      assert.isAtLeast(results.filter(({ fault, isMissed }) => fault === "lost after" && !isMissed).length, least)
    }).pipe(Effect.scoped),
  280_000
)
