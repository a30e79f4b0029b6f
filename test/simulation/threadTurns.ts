import { Duration } from "effect"
import { lease } from "../../src/publishing/timing.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { TargetRow } from "./rows.ts"
import { second, type World } from "./world.ts"

const isOutInPart = ({ parts }: TargetRow) => (parts ?? []).length > 0

/**
 * Checks that no other post of an account is claimed while the next part of a begun thread is due there. As every
 * account with due targets is attempted, the thread then continues soon, regardless of the account's backlog.
 */
export const checkThreadTurns = (world: World, database: MemoryDatabase): void => {
  database.onCommit(({ targets }) => {
    for (const { after, before } of targets) {
      if (before?.status !== "pending" || after?.status !== "publishing" || after.leaseUntil === null) continue
      // Another thread that has begun or might have begun continues in its own turn.
      const isThread = (database.committed.posts.get(before.postId)?.thread ?? []).length > 0
      if (isOutInPart(before) || (isThread && before.sentAt !== null)) continue
      // Uses the claiming process's clock. A user may change a time during the claim.
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
