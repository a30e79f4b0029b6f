import { assert, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { carryOut } from "../chaos/support/campaign.ts"
import { killNowAndThen } from "../chaos/support/killNowAndThen.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

const size = { posts: 60, seed: "1", pace: 30 }
const mostKills = 8

const quiet = () => Effect.void

it.live(
  "while one of three processes is killed every second or two, each post goes out once and not before its time, or a person is told",
  () =>
    Effect.gen(function* () {
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(path.join(tmpdir(), "kills-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
      )
      let kills = 0
      const { table, verdict } = yield* carryOut(
        size,
        directory,
        {
          databaseUrl: yield* freshDatabase,
          replicas: 3,
          faultRate: 0.05,
          postsPerSecond: 10,
          window: 5_000,
          trouble: ({ replicas }) => killNowAndThen(replicas, () => void kills++, mostKills),
          beside: () => ({ kills })
        },
        quiet
      )
      assert.deepStrictEqual([...verdict.lost, ...verdict.doubled, ...verdict.early], [], table)
      assert.isAtLeast(verdict.posts, size.posts)
      assert.isAtLeast(kills, 5)
    }).pipe(Random.withSeed(size.seed), Effect.scoped),
  170_000
)
