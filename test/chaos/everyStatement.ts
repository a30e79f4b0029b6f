import { Effect } from "effect"
import { mkdtemp } from "node:fs/promises"
import path from "node:path"
import { formatTable } from "../bench/support/report.ts"
import { runScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { type FaultResult, injectAtEveryStatement, publishingWork, webhookWork } from "./support/statementFaults.ts"

const faults = ["lost before", "lost after", "silent", "suspended", "killed"] as const

/**
 * Fault injection: at each statement of publishing and of webhooks, the connection is lost, or the process is suspended
 * or killed. Takes an hour or two.
 */
runScript("every statement", { posts: 0, seed: "1", pace: 100 }, (directory, _options, log) =>
  Effect.gen(function* () {
    const { url } = yield* restartableDatabase({ dataDir: directory })
    const results: Array<FaultResult> = []
    const onResult = (result: FaultResult) => {
      results.push(result)
      const { fault, isMissed, seconds, statement, wrong } = result
      return log(
        `${fault}, ${isMissed ? "not reached" : `${seconds} s`}: ${[statement, ...wrong].join("\n    WRONG ")}`
      )
    }
    for (const work of [publishingWork, webhookWork]) {
      const own = yield* Effect.promise(() => mkdtemp(path.join(directory, "work-")))
      yield* Effect.scoped(Effect.flatMap(work(url, own), (begun) => injectAtEveryStatement(begun, faults, onResult)))
    }
    const reached = results.filter(({ isMissed }) => !isMissed)
    const rows = faults.map((fault) => {
      const own = reached.filter((result) => result.fault === fault)
      return { fault, statements: own.length, "longest, s": Math.max(...own.map(({ seconds }) => seconds)) }
    })
    return {
      table: formatTable(rows),
      failures: results.flatMap(({ fault, statement, wrong }) =>
        wrong.map((each) => `${fault} at ${statement}: ${each}`)
      )
    }
  })
)
