import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { killRepeatedly } from "../chaos/support/kills.ts"
import { runThreads } from "../chaos/support/threadCampaign.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

// Starts early: it kills processes and waits for others to take over.

// Long enough that a kill hits threads between their parts; `node test/chaos/threads.ts` kills for many minutes.
const size = { posts: 10, seed: "1", pace: 30 }
const maxKills = 4

const quiet = () => Effect.void

it.live(
  "While one of three processes is killed every second or two, what is out of a thread is at every moment its first parts in order",
  () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(path.join(tmpdir(), "threads-"))),
        (created) => Effect.promise(() => rm(created, { recursive: true, force: true }))
      )
      let kills = 0
      const { failures, table } = yield* runThreads(
        size,
        directory,
        {
          databaseUrl: yield* freshDatabase,
          replicas: 3,
          faultRate: 0.05,
          injectFaults: ({ replicas }) => killRepeatedly(replicas, () => void kills++, maxKills),
          extraRows: () => ({ kills })
        },
        quiet
      )
      assert.deepStrictEqual(failures, [], table)
      assert.isAtLeast(kills, 3)
    }).pipe(Random.withSeed(size.seed), Effect.scoped)
)
