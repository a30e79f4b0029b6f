import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Notifications that leave the service, by mail for now.
 *
 * notifications.awaits_delivery: true until the receivers of a notification were chosen. A version without mail writes
 * null; the version before does not know the column, and its notifications are taken up by the default. Rows from
 * before the migration have null.
 *
 * notification_deliveries: one message to one person. Until it is first claimed (`sealed`), it collects further
 * notifications of its type, so that a burst is one message. `due_at` is its first time, which spaces the messages of a
 * type. `next_at` is the due time or the end of a claim's lease; null once the delivery has ended. The type `digest`
 * collects all types. `kind` and `user_id` leave room for channels of chat.
 *
 * notification_preferences: a person's choices that differ from the defaults of their role.
 */
const statements = [
  `ALTER TABLE notifications ADD COLUMN awaits_delivery boolean`,
  `ALTER TABLE notifications ALTER COLUMN awaits_delivery SET DEFAULT true`,

  `CREATE TABLE notification_deliveries (
    id uuid NOT NULL CONSTRAINT notification_deliveries_pk PRIMARY KEY,
    workspace_id uuid NOT NULL
      CONSTRAINT notification_deliveries_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    kind text NOT NULL,
    user_id uuid,
    type text NOT NULL,
    notification_ids uuid[] NOT NULL,
    count integer NOT NULL CONSTRAINT notification_deliveries_counted CHECK (count >= 1),
    status text NOT NULL
      CONSTRAINT notification_deliveries_status_known CHECK (status IN ('pending', 'sent', 'failed', 'dropped')),
    sealed boolean NOT NULL DEFAULT false,
    attempts integer NOT NULL DEFAULT 0
      CONSTRAINT notification_deliveries_attempts_counted CHECK (attempts >= 0),
    due_at timestamptz NOT NULL,
    next_at timestamptz,
    claim_token uuid,
    error text,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    CONSTRAINT notification_deliveries_member_fk FOREIGN KEY (user_id, workspace_id)
      REFERENCES members (user_id, workspace_id) ON DELETE CASCADE,
    CONSTRAINT notification_deliveries_mail_has_reader CHECK (kind <> 'mail' OR user_id IS NOT NULL),
    CONSTRAINT notification_deliveries_due_while_pending CHECK ((status = 'pending') = (next_at IS NOT NULL)),
    CONSTRAINT notification_deliveries_ended CHECK ((status = 'pending') = (ended_at IS NULL)),
    CONSTRAINT notification_deliveries_claimed_while_pending CHECK (claim_token IS NULL OR status = 'pending')
  )`,
  `CREATE UNIQUE INDEX notification_deliveries_open ON notification_deliveries (workspace_id, user_id, kind, type)
    WHERE status = 'pending' AND NOT sealed`,
  `CREATE INDEX notification_deliveries_due ON notification_deliveries (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX notification_deliveries_of_member ON notification_deliveries (user_id, workspace_id, type, due_at)`,
  `CREATE INDEX notification_deliveries_of_workspace ON notification_deliveries (workspace_id, id)`,

  `CREATE TABLE notification_preferences (
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    type text NOT NULL,
    mode text NOT NULL CONSTRAINT notification_preferences_mode_known CHECK (mode IN ('off', 'now', 'digest')),
    CONSTRAINT notification_preferences_pk PRIMARY KEY (workspace_id, type, user_id),
    CONSTRAINT notification_preferences_member_fk FOREIGN KEY (user_id, workspace_id)
      REFERENCES members (user_id, workspace_id) ON DELETE CASCADE
  )`,
  `CREATE INDEX notification_preferences_of_member ON notification_preferences (user_id, workspace_id)`,

  // digest_hour: in the time zone of the workspace's queue, or in UTC without one.
  `ALTER TABLE members
    ADD COLUMN mail_muted_until timestamptz,
    ADD COLUMN digest_hour smallint NOT NULL DEFAULT 8
      CONSTRAINT members_digest_hour CHECK (digest_hour BETWEEN 0 AND 23)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
