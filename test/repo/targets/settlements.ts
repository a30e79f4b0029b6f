import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { TargetError } from "../../../src/domain/posts/post.ts"
import type { Settlement } from "../../../src/domain/publishing/settlement.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"

export const targetError = (code: TargetError["code"]): TargetError => ({ code, message: "No", retryable: true })

export const published: Settlement = {
  _tag: "Published",
  publication: { platformPostId: "1", url: "https://platform.test/1" }
}
export const failed: Settlement = { _tag: "Failed", error: targetError("rejected") }
export const retryMuchLater: Settlement = {
  _tag: "Retry",
  at: DateTime.makeUnsafe("2100-01-01T00:00:00Z"),
  error: targetError("unavailable")
}

/** Ends a claim's lease. */
export const expireLease = (claim: Claim) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE post_targets SET lease_until = now() - interval '1 second' WHERE id = ${claim.targetId}::uuid`
  )
