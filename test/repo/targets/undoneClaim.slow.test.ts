import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { SqlClient } from "effect/sql"
import { migrate } from "../../../src/repo/postgres/migrations.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import type { ClaimSlots } from "../../../src/repo/targets/Targets.ts"
import { restartableDatabase } from "../../chaos/support/database.ts"
import { repoLayer } from "../../chaos/support/world.ts"
import { lease, makeDuePosts } from "../../support/database/duePosts.ts"

const readTarget = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`SELECT status, attempts, claim_token AS token, prepared, sent_at IS NOT NULL AS "isSent" FROM post_targets`
)

describe("A claim that a crash of the database undoes", () => {
  it.live.each(["on", "off"])(
    "It is not sent, another process claims its target, and what that one is about to send outlasts a crash, with synchronous_commit = %s",
    (synchronousCommit) =>
      Effect.gen(function* () {
        const dataDir = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "undone-claim-" })
        // A commit that does not wait for the disk stays in memory for up to this delay.
        const settings = ["wal_writer_delay=10s", `synchronous_commit=${synchronousCommit}`]
        const database = yield* restartableDatabase({ dataDir, settings })
        /** Runs an effect in a process that has ended before the crash. */
        const asProcess = Effect.provide(repoLayer(database.url), { local: true })
        const crash = Effect.andThen(database.stop("immediate"), database.start)
        const claim = Effect.fnUntraced(function* (slots?: ClaimSlots) {
          const { targets } = yield* Repo
          const [claimed] = yield* targets.claim(10, lease, slots === undefined ? {} : { slots })
          return claimed ?? assert.fail("Nothing was claimed")
        })
        const claimAndCrash = Effect.fnUntraced(function* (slots?: ClaimSlots) {
          const undone = yield* asProcess(claim(slots))
          yield* crash
          assert.deepStrictEqual(yield* asProcess(readTarget), [
            { status: "pending", attempts: 0, token: null, prepared: null, isSent: false }
          ])
          return undone
        })

        yield* asProcess(Effect.andThen(migrate, makeDuePosts(1, 1)))
        // Without slots the fair statement claims, with slots the statement for few targets.
        const undone = [
          yield* claimAndCrash(),
          yield* claimAndCrash({ perHost: 10, platforms: { twitter: 10, bluesky: 10 }, hosts: {} })
        ]

        const again = yield* asProcess(
          Effect.gen(function* () {
            const { targets } = yield* Repo
            const beginUndone = Effect.forEach(undone, (lost) =>
              Effect.map(Effect.flip(targets.beginSend(lost, { text: "undone" }, lease)), ({ _tag }) => _tag)
            )
            assert.deepStrictEqual(yield* beginUndone, ["ClaimLost", "ClaimLost"])
            const claimed = yield* claim()
            assert.deepStrictEqual(yield* beginUndone, ["ClaimLost", "ClaimLost"])
            yield* targets.beginSend(claimed, { text: "again" }, lease)
            return claimed
          })
        )
        yield* crash
        assert.deepStrictEqual(yield* asProcess(readTarget), [
          { status: "publishing", attempts: 1, token: again.token, prepared: { text: "again" }, isSent: true }
        ])
      }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
