import { Duration } from "effect"
import { lease } from "../../src/publishing/timing.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { TargetRow } from "./rows.ts"
import { second, type World } from "./world.ts"

const isOutInPart = ({ parts }: TargetRow) => (parts ?? []).length > 0

/**
 * Checks that nothing else of an account is claimed while the next part of a thread that has begun is due there. With
 * the check that every account with something due is attempted, a thread goes on soon after its next part is due,
 * whatever the backlog of its account is.
 */
export const checkThreadTurns = (world: World, database: MemoryDatabase): void => {
  database.onCommit(({ targets }) => {
    for (const { after, before } of targets) {
      if (before?.status !== "pending" || after?.status !== "publishing" || after.leaseUntil === null) continue
      // Another thread that has begun, or may have, goes on in its own turn.
      const isThread = (database.committed.posts.get(before.postId)?.thread ?? []).length > 0
      if (isOutInPart(before) || (isThread && before.sentAt !== null)) continue
      // By the clock of the process that claims. A user may change a time while it does.
      const claimedAt = Math.min(after.leaseUntil - Duration.toMillis(lease), world.now())
      for (const row of database.committed.openTargets.values()) {
        const { dueAt, id, integrationId, part } = row
        if (integrationId !== after.integrationId || row.status !== "pending" || !isOutInPart(row)) continue
        if (dueAt === null || dueAt > claimedAt - second) {
          world.count("post in the pause of a thread")
          continue
        }
        const late = `part ${part} of ${shortId(id)} is due for ${claimedAt - dueAt} ms`
        world.violate(`target ${shortId(after.id)} is claimed although ${late}`)
      }
    }
  })
}
