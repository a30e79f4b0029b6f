import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Compatible with the version before: all of these tables are new. Its changes of posts record no events. */
const statements = [
  // position: the order in which events are read, null until the dispatcher sets it. Events of a post's history alone
  // have none.
  `CREATE TABLE events (
    id uuid NOT NULL CONSTRAINT events_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT events_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    type text NOT NULL,
    audience text NOT NULL CONSTRAINT events_audience_known CHECK (audience IN ('webhooks', 'test', 'history')),
    data jsonb NOT NULL,
    post_id uuid,
    integration_id uuid,
    created_at timestamptz NOT NULL,
    position bigint,
    CONSTRAINT events_position_of_webhooks CHECK (position IS NULL OR audience = 'webhooks')
  )`,
  `CREATE INDEX events_undispatched ON events (id) WHERE position IS NULL AND audience = 'webhooks'`,
  `CREATE INDEX events_by_position ON events (workspace_id, position) WHERE position IS NOT NULL`,
  `CREATE INDEX events_by_type ON events (workspace_id, type, position) WHERE position IS NOT NULL`,
  `CREATE INDEX events_of_post ON events (workspace_id, post_id, id) WHERE post_id IS NOT NULL`,

  // The process that locks the only row dispatches.
  `CREATE TABLE event_dispatch (
    only_row boolean NOT NULL DEFAULT true CONSTRAINT event_dispatch_pk PRIMARY KEY
      CONSTRAINT event_dispatch_only_row CHECK (only_row),
    last_position bigint NOT NULL
  )`,
  `INSERT INTO event_dispatch (last_position) VALUES (0)`,

  // due_at: never later than the next delivery. The row is the lock of a webhook's queue. strained: it failed or was
  // slow lately, and shares the few slots of such webhooks. deleted_at: its deliveries are deleted batch by batch, and
  // then its row. held_until: nothing is sent before, because the circuit is open or the receiver asked for it.
  `CREATE TABLE webhooks (
    id uuid NOT NULL CONSTRAINT webhooks_pk PRIMARY KEY,
    workspace_id uuid NOT NULL CONSTRAINT webhooks_workspace_fk REFERENCES workspaces (id) ON DELETE CASCADE,
    url text NOT NULL,
    description text,
    events text[],
    disabled_reason text
      CONSTRAINT webhooks_disabled_reason_known CHECK (disabled_reason IN ('manual', 'gone', 'failing', 'deleted')),
    secret bytea NOT NULL,
    former_secret bytea,
    former_secret_until timestamptz,
    failures integer NOT NULL DEFAULT 0 CONSTRAINT webhooks_failures_counted CHECK (failures >= 0),
    failing_since timestamptz,
    held_until timestamptz,
    strained boolean NOT NULL DEFAULT false,
    due_at timestamptz,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    CONSTRAINT webhooks_in_workspace UNIQUE (workspace_id, id),
    CONSTRAINT webhooks_former_secret_ends CHECK ((former_secret IS NULL) = (former_secret_until IS NULL)),
    CONSTRAINT webhooks_deleted_is_disabled CHECK ((deleted_at IS NOT NULL) = (disabled_reason IS NOT DISTINCT FROM 'deleted')),
    CONSTRAINT webhooks_failing_since_failure CHECK ((failures = 0) = (failing_since IS NULL))
  )`,
  `CREATE INDEX webhooks_due ON webhooks (strained, due_at) WHERE due_at IS NOT NULL AND disabled_reason IS NULL`,
  `CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL`,

  // next_at: the due time, or the end of the claim's lease; null when the delivery has ended.
  `CREATE TABLE webhook_deliveries (
    event_id uuid NOT NULL CONSTRAINT webhook_deliveries_event_fk REFERENCES events (id) ON DELETE CASCADE,
    webhook_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    status text NOT NULL
      CONSTRAINT webhook_deliveries_status_known CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0 CONSTRAINT webhook_deliveries_attempts_counted CHECK (attempts >= 0),
    next_at timestamptz,
    claim_token uuid,
    log jsonb NOT NULL DEFAULT '[]',
    queued_at timestamptz NOT NULL,
    CONSTRAINT webhook_deliveries_pk PRIMARY KEY (event_id, webhook_id),
    CONSTRAINT webhook_deliveries_webhook_fk FOREIGN KEY (workspace_id, webhook_id)
      REFERENCES webhooks (workspace_id, id) ON DELETE CASCADE,
    CONSTRAINT webhook_deliveries_due_while_pending CHECK ((status = 'pending') = (next_at IS NOT NULL)),
    CONSTRAINT webhook_deliveries_claimed_while_pending CHECK (claim_token IS NULL OR status = 'pending')
  )`,
  `CREATE INDEX webhook_deliveries_of_webhook ON webhook_deliveries (webhook_id, event_id)`,
  `CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX webhook_deliveries_claimed ON webhook_deliveries (webhook_id) WHERE claim_token IS NOT NULL`,
  `CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook_id, event_id) WHERE status = 'failed'`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
