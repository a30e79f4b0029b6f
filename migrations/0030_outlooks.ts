import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * outlooks: when a workspace's posts are checked every day, and who does so now. A workspace without a row has the
 * defaults; the service adds the row before the first check.
 *
 * `hour` is null if the posts are not checked. `due_at` is the time of the next check, computed in `time_zone`. The
 * service computes it again once the queue has another zone. `next_at` is `due_at`, or the end of a claim's lease, so
 * that one process of several makes a check, and another one repeats it after a crash. `checked_at` keeps the next
 * check at a distance, whatever the hour and the zone become.
 */
const statements = [
  `CREATE TABLE outlooks (
    workspace_id uuid NOT NULL CONSTRAINT outlooks_pk PRIMARY KEY
      CONSTRAINT outlooks_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    hour smallint CONSTRAINT outlooks_hour CHECK (hour BETWEEN 0 AND 23),
    always_notify boolean NOT NULL DEFAULT false,
    time_zone text NOT NULL,
    due_at timestamptz,
    next_at timestamptz,
    checked_at timestamptz,
    claim_token uuid,
    CONSTRAINT outlooks_due_with_hour CHECK ((hour IS NULL) = (due_at IS NULL)),
    CONSTRAINT outlooks_next_with_due CHECK ((due_at IS NULL) = (next_at IS NULL)),
    CONSTRAINT outlooks_claimed_while_due CHECK (claim_token IS NULL OR due_at IS NOT NULL)
  )`,
  `CREATE INDEX outlooks_due ON outlooks (next_at) WHERE next_at IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
