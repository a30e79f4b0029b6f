import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * processing_since: the time at which the platform began to process a target's post, or its source; null if it does
 * not.
 *
 * address_looks: published targets and parts of threads whose address the platform reports later. `prepared` is what was
 * sent. The version before writes neither, because its platforms need neither.
 */
const statements = [
  `ALTER TABLE post_targets ADD COLUMN processing_since timestamptz`,
  `CREATE TABLE address_looks (
    target_id uuid NOT NULL
      CONSTRAINT address_looks_target_fk REFERENCES post_targets (id) ON DELETE CASCADE,
    part smallint NOT NULL,
    prepared jsonb NOT NULL,
    sent_at timestamptz NOT NULL,
    looks smallint NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    CONSTRAINT address_looks_pk PRIMARY KEY (target_id, part)
  )`,
  `CREATE INDEX address_looks_due ON address_looks (due_at)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
