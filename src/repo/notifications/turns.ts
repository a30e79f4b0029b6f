import type { SqlClient } from "effect/sql"
import { WorkspaceId } from "../../domain/ids.ts"

/** The receivers that a claim is about: members by mail, or channels of chat programs. */
export type Receivers = "mail" | "chat"

/** The conditions of the indexes of turns. */
export const isFor: Readonly<Record<Receivers, string>> = {
  mail: "channel_id IS NULL",
  chat: "channel_id IS NOT NULL"
}

/** A channel that is held gets nothing, so its workspace has no turn for it. */
const mayBeClaimed: Readonly<Record<Receivers, string>> = {
  mail: isFor.mail,
  chat: `${isFor.chat} AND EXISTS (SELECT FROM channels WHERE channels.id = channel_id
    AND (held_until IS NULL OR held_until <= (SELECT now FROM moment)))`
}

/** More workspaces than a claim has slots, because some of them may have as much in flight as they may have. */
const spareTurns = 64

/** Before the first workspace. */
export const firstTurn = WorkspaceId.make("00000000-0000-0000-0000-000000000000")

/**
 * A recursive table `turns` of the next workspaces with something due: `workspace_id`, and `place` from 1. They follow
 * each other by id, begin after the one that had its turn last, and go round, so none waits for more than one turn of
 * each other. Finding one skips the rows of all others. Needs a table `moment` with the time `now`.
 */
export const turns = (
  sql: SqlClient.SqlClient,
  receivers: Receivers,
  { after, limit }: { readonly after: string; readonly limit: number }
) => {
  const due = sql.literal(`${mayBeClaimed[receivers]} AND next_at <= (SELECT now FROM moment)`)
  return sql`turns AS (
      SELECT ${after}::uuid AS workspace_id, false AS wrapped, 0 AS place
      UNION ALL
      SELECT next.workspace_id, next.wrapped, turns.place + 1 FROM turns CROSS JOIN LATERAL (
        (SELECT workspace_id, turns.wrapped AS wrapped FROM notification_deliveries
          WHERE ${due} AND workspace_id > turns.workspace_id AND (NOT turns.wrapped OR workspace_id <= ${after}::uuid)
          ORDER BY workspace_id LIMIT 1)
        UNION ALL
        (SELECT workspace_id, true FROM notification_deliveries
          WHERE ${due} AND NOT turns.wrapped AND workspace_id <= ${after}::uuid ORDER BY workspace_id LIMIT 1)
        ORDER BY wrapped LIMIT 1) next
      WHERE turns.place < ${limit + spareTurns}::int
    )`
}
