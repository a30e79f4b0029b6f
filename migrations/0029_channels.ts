import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * channels: incoming webhooks of chat programs that get a workspace's notifications. `held_until`: no message is sent
 * before, because one is being sent, or because the chat program asked for a pause.
 *
 * A delivery of notifications is to a member by mail, or to a channel. The version before does not know channels: it
 * claims their deliveries and drops them from its answer, so they are due again after its lease.
 *
 * The indexes of turns find the next workspace with something due.
 */
const statements = [
  `CREATE TABLE channels (
    id uuid NOT NULL CONSTRAINT channels_pk PRIMARY KEY,
    workspace_id uuid NOT NULL
      CONSTRAINT channels_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    kind text NOT NULL CONSTRAINT channels_kind_known CHECK (kind IN ('slack', 'discord', 'mattermost')),
    name text NOT NULL,
    sealed_url bytea NOT NULL,
    masked_url text NOT NULL,
    types text[] NOT NULL CONSTRAINT channels_get_something CHECK (cardinality(types) >= 1),
    disabled_reason text
      CONSTRAINT channels_disabled_reason_known CHECK (disabled_reason IN ('manual', 'revoked')),
    held_until timestamptz,
    created_by_key uuid,
    created_by_user uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT channels_in_workspace UNIQUE (workspace_id, id)
  )`,

  `ALTER TABLE notification_deliveries
    ADD COLUMN channel_id uuid,
    ADD CONSTRAINT notification_deliveries_channel_fk FOREIGN KEY (workspace_id, channel_id)
      REFERENCES channels (workspace_id, id) ON DELETE CASCADE,
    DROP CONSTRAINT notification_deliveries_mail_has_reader,
    ADD CONSTRAINT notification_deliveries_has_one_receiver CHECK (CASE WHEN kind = 'mail'
      THEN user_id IS NOT NULL AND channel_id IS NULL
      ELSE user_id IS NULL AND channel_id IS NOT NULL END)`,
  `CREATE UNIQUE INDEX notification_deliveries_open_of_channel ON notification_deliveries (channel_id, type)
    WHERE status = 'pending' AND NOT sealed AND channel_id IS NOT NULL`,
  `CREATE INDEX notification_deliveries_of_channel ON notification_deliveries (channel_id, type, due_at)
    WHERE channel_id IS NOT NULL`,
  `CREATE INDEX notification_deliveries_log_of_channel ON notification_deliveries (channel_id, id)
    WHERE channel_id IS NOT NULL`,
  `CREATE INDEX notification_deliveries_due_of_channel ON notification_deliveries (channel_id, next_at)
    WHERE next_at IS NOT NULL AND channel_id IS NOT NULL`,
  `CREATE INDEX notification_deliveries_mail_turns ON notification_deliveries (workspace_id, next_at)
    WHERE next_at IS NOT NULL AND channel_id IS NULL`,
  `CREATE INDEX notification_deliveries_chat_turns ON notification_deliveries (workspace_id, next_at)
    WHERE next_at IS NOT NULL AND channel_id IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
