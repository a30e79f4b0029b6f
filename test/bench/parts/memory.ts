import { Effect } from "effect"
import { performance } from "node:perf_hooks"
import { Listening, startScript } from "../support/childProcess.ts"
import { databaseEnv, startDatabase } from "../support/database.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { residentMegabytes } from "../support/memory.ts"
import { progress } from "../support/progress.ts"
import { runLoad } from "../support/runLoad.ts"
import { buildPackage, startService } from "../support/service.ts"
import { median } from "../support/statistics.ts"
import { insertPublished, makeTeams } from "../support/teams.ts"

/** The wait before the memory at rest is read. Within 45 s V8 returns memory from the start or a load. */
const rest = "1 minute"

/** The time from a start until requests are served, and the memory of a process before and after a load. */
export const memory = Effect.fn("memory")(function* ({ quick, rounds, seconds }: BenchOptions) {
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, 200, ["twitter", "bluesky"])
  yield* insertPublished(database, quick ? 10_000 : 100_000)
  const load = yield* startScript("support/load.ts")
  const requests = teams.map(
    ({ key }) => `GET /v1/posts?limit=20 HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`
  )
  const startPeer = Effect.fnUntraced(function* (script: string) {
    const began = performance.now()
    const peer = yield* startScript(script, databaseEnv(database))
    const { port } = yield* peer.ask({}, Listening)
    return { pid: peer.pid, port, readyAfter: performance.now() - began }
  })
  const contenders = [
    { name: "service, built package", start: startService(database, {}, yield* buildPackage) },
    { name: "service, from its sources", start: startService(database) },
    { name: "Fastify 5 + postgres.js", start: startPeer("peers/fastify.ts") },
    { name: "Hono + postgres.js", start: startPeer("peers/hono.ts") }
  ].map((contender) => ({
    ...contender,
    ready: new Array<number>(),
    atRest: new Array<number>(),
    loaded: new Array<number>(),
    after: new Array<number>()
  }))

  for (let round = 0; round <= rounds; round++) {
    for (const { after, atRest, loaded, name, ready, start } of contenders) {
      yield* progress(`round ${round}: ${name}`)
      yield* Effect.gen(function* () {
        const { pid, port, readyAfter } = yield* start
        // The first start fills the compile cache.
        if (round === 0) return
        ready.push(readyAfter)
        yield* Effect.sleep(rest)
        atRest.push(yield* residentMegabytes(pid))
        yield* runLoad(load, { port, connections: 32, seconds: seconds * 2, requests })
        loaded.push(yield* residentMegabytes(pid))
        yield* Effect.sleep(rest)
        after.push(yield* residentMegabytes(pid))
      }).pipe(Effect.scoped)
    }
  }
  const rows = contenders.map(({ after, atRest, loaded, name, ready }) => ({
    process: name,
    "ready after, ms": median(ready),
    "at rest, MB": median(atRest),
    "after the load, MB": median(loaded),
    "at rest again, MB": median(after)
  }))
  return [
    {
      title: "Memory",
      notes: `Resident memory a minute after a start, after ${seconds * 2} s of lists of 20 over 32 connections, and a minute later; medians of ${rounds} starts with a warm compile cache and a migrated database.`,
      rows
    } satisfies Section
  ]
})
