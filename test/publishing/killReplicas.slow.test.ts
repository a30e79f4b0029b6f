import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { runCampaign } from "../chaos/support/campaign.ts"
import { killRepeatedly } from "../chaos/support/kills.ts"

// Starts early: it kills processes and waits for others to take over.

// Long enough that a kill hits targets in each state; `node test/chaos/killReplicas.ts` kills for many minutes.
const size = { posts: 60, seed: "1", pace: 30 }
const maxKills = 4

const quiet = () => Effect.void

it.live(
  "While one of three processes is killed every second or two, each post is published once and not early, or a person is notified",
  () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(path.join(tmpdir(), "kills-"))),
        (created) => Effect.promise(() => rm(created, { recursive: true, force: true }))
      )
      let kills = 0
      const { table, verdict } = yield* runCampaign(
        size,
        directory,
        {
          databaseUrl: yield* freshDatabase,
          replicas: 3,
          faultRate: 0.05,
          postsPerSecond: 10,
          dueWindow: 5_000,
          injectFaults: ({ replicas }) => killRepeatedly(replicas, () => void kills++, maxKills),
          extraRows: () => ({ kills })
        },
        quiet
      )
      assert.deepStrictEqual([...verdict.lost, ...verdict.doubled, ...verdict.early], [], table)
      assert.isAtLeast(verdict.posts, size.posts)
      assert.isAtLeast(kills, 3)
    }).pipe(Random.withSeed(size.seed), Effect.scoped)
)
