import { DateTime, type Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimToken, nextClaimToken, WorkspaceId } from "../../domain/ids.ts"
import { essentialTypes } from "../../domain/mail/mailPreferences.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { readableRows } from "../readableRows.ts"
import { ChatClaim, type Deliveries, MailClaim } from "./Deliveries.ts"
import { memberChoices } from "./dispatch.ts"
import { claimColumns, listed } from "./listed.ts"
import { firstTurn, isFor, type Receivers, turns } from "./turns.ts"

/** Messages to the channels of one workspace at one time, because its servers may be slow. */
const maxChatOfWorkspace = 4

const Request = Schema.Struct({
  limit: Schema.Int,
  token: ClaimToken,
  now: Timestamp,
  leaseUntil: Timestamp,
  after: WorkspaceId
})

export const makeClaims = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const moment = ({ leaseUntil, now }: Pick<(typeof Request)["Encoded"], "leaseUntil" | "now">) => sql`
    moment AS MATERIALIZED (
      SELECT least(${now}::timestamptz, clock_timestamp()) AS now,
        ${onDatabaseClock(sql, sql`${leaseUntil}::timestamptz`, sql`${now}::timestamptz`)} AS lease_until
    )`

  // Locks nothing, so that an idle second costs one read.
  const findDue = (receivers: Receivers) =>
    SqlSchema.findOne({
      Request: Timestamp,
      Result: Schema.Struct({ found: Schema.Boolean }),
      execute: (now) => sql`
        SELECT EXISTS (SELECT FROM notification_deliveries
          WHERE ${sql.literal(isFor[receivers])} AND next_at <= least(${now}::timestamptz, clock_timestamp())) AS found`
    })

  /** Needs a table `due` with the ids, and the place of each in its claim. */
  const claimed = (token: string) => sql`
    UPDATE notification_deliveries d SET attempts = least(d.attempts, 1000000) + 1, sealed = true,
      claim_token = ${token}::uuid, next_at = (SELECT lease_until FROM moment)
    FROM due WHERE d.id = due.id AND d.id = ANY(ARRAY(SELECT id FROM due))
    RETURNING d.*, due.place`

  const othersGet = sql.literal(`(SELECT coalesce(jsonb_agg(essential.type), '[]')
    FROM unnest(ARRAY[${essentialTypes.map((type) => `'${type}'`).join(", ")}]) essential (type)
    WHERE EXISTS (SELECT FROM members other WHERE other.workspace_id = c.workspace_id AND other.user_id <> c.user_id
      AND other.role = 'admin' AND coalesce(other.mail_muted_until <= (SELECT now FROM moment), true)
      AND NOT EXISTS (SELECT FROM notification_preferences p WHERE p.workspace_id = other.workspace_id
        AND p.user_id = other.user_id AND p.type = essential.type AND p.mode = 'off')))`)

  const mail = SqlSchema.findAll({
    Request,
    Result: Schema.Unknown,
    execute: ({ after, limit, token, ...times }) => sql`
      WITH RECURSIVE ${moment(times)}, ${turns(sql, "mail", { after, limit })}, chosen AS MATERIALIZED (
        SELECT candidate.id, turns.place FROM turns CROSS JOIN LATERAL (
          SELECT id, row_number() OVER (ORDER BY next_at) AS rank FROM notification_deliveries
          WHERE workspace_id = turns.workspace_id AND channel_id IS NULL AND next_at <= (SELECT now FROM moment)
          ORDER BY next_at LIMIT ${limit}::int) candidate
        WHERE turns.place > 0 ORDER BY candidate.rank, turns.place LIMIT ${limit}::int
      ), due AS MATERIALIZED (
        SELECT d.id, chosen.place FROM notification_deliveries d JOIN chosen ON chosen.id = d.id
        WHERE d.id = ANY(ARRAY(SELECT id FROM chosen)) AND d.next_at <= (SELECT now FROM moment)
        FOR NO KEY UPDATE OF d SKIP LOCKED
      ), claimed AS (${claimed(token)})
      SELECT ${sql.literal(claimColumns)}, c.user_id AS "userId", u.email, ${sql.literal(memberChoices)}, ${othersGet} AS "othersGet"
      FROM claimed c JOIN workspaces w ON w.id = c.workspace_id JOIN users u ON u.id = c.user_id
      JOIN members m ON m.user_id = c.user_id AND m.workspace_id = c.workspace_id
      CROSS JOIN LATERAL (${listed(sql)}) listed ORDER BY c.place`
  })

  const chat = SqlSchema.findAll({
    Request,
    Result: Schema.Unknown,
    execute: ({ after, limit, token, ...times }) => sql`
      WITH RECURSIVE ${moment(times)}, ${turns(sql, "chat", { after, limit })}, chosen AS MATERIALIZED (
        SELECT candidate.id, candidate.channel_id, turns.place FROM turns CROSS JOIN LATERAL (
          SELECT oldest.id, channels.id AS channel_id, row_number() OVER (ORDER BY oldest.next_at) AS rank
          FROM channels CROSS JOIN LATERAL (
            SELECT id, next_at FROM notification_deliveries
            WHERE channel_id = channels.id AND next_at <= (SELECT now FROM moment) ORDER BY next_at LIMIT 1) oldest
          WHERE channels.workspace_id = turns.workspace_id
            AND (channels.held_until IS NULL OR channels.held_until <= (SELECT now FROM moment))
          ORDER BY oldest.next_at LIMIT greatest(0, ${maxChatOfWorkspace}::int - (
            SELECT count(*)::int FROM notification_deliveries
            WHERE workspace_id = turns.workspace_id AND channel_id IS NOT NULL AND claim_token IS NOT NULL
              AND next_at > (SELECT now FROM moment)))) candidate
        WHERE turns.place > 0 ORDER BY candidate.rank, turns.place LIMIT ${limit}::int
      ), free AS MATERIALIZED (
        -- Reads the latest version of a channel, so that no other process has just claimed another message of it.
        SELECT id FROM channels WHERE id = ANY(ARRAY(SELECT channel_id FROM chosen))
          AND (held_until IS NULL OR held_until <= (SELECT now FROM moment)) FOR NO KEY UPDATE SKIP LOCKED
      ), due AS MATERIALIZED (
        SELECT d.id, chosen.place FROM notification_deliveries d JOIN chosen ON chosen.id = d.id
        JOIN free ON free.id = chosen.channel_id
        WHERE d.id = ANY(ARRAY(SELECT id FROM chosen)) AND d.next_at <= (SELECT now FROM moment)
        FOR NO KEY UPDATE OF d SKIP LOCKED
      ), claimed AS (${claimed(token)}), holding AS (
        UPDATE channels SET held_until = (SELECT lease_until FROM moment) FROM claimed WHERE channels.id = claimed.channel_id
      )
      SELECT ${sql.literal(claimColumns)}, c.channel_id AS "channelId", channels.kind, channels.sealed_url AS "sealedUrl",
        channels.types, channels.disabled_reason IS NULL AS "isEnabled"
      FROM claimed c JOIN workspaces w ON w.id = c.workspace_id JOIN channels ON channels.id = c.channel_id
      CROSS JOIN LATERAL (${listed(sql)}) listed ORDER BY c.place`
  })

  /** Each process continues after the workspace that had its turn last. */
  const makeClaim = <A extends { readonly workspaceId: WorkspaceId }>(
    receivers: Receivers,
    claimDue: typeof mail,
    schema: Schema.ConstraintDecoder<A>
  ) => {
    const isDue = findDue(receivers)
    const readable = readableRows(schema, "A message can't be read, and waits for the end of its lease")
    let after = firstTurn
    return Effect.fn(`Repo.deliveries.claim.${receivers}`)((limit: number, lease: Duration.Duration) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const { found } = yield* isDue(now)
        if (!found) return []
        const token = yield* nextClaimToken
        return yield* claimDue({ limit, token, now, leaseUntil: DateTime.addDuration(now, lease), after })
      }).pipe(
        Effect.catchTag("NoSuchElementError", Effect.die),
        withDatabaseTimeout(`claiming ${receivers}`),
        Effect.flatMap(readable),
        Effect.tap((claims) =>
          Effect.sync(() => {
            after = claims.at(-1)?.workspaceId ?? after
          })
        )
      )
    )
  }

  return {
    claimMail: makeClaim("mail", mail, MailClaim),
    claimChat: makeClaim("chat", chat, ChatClaim)
  } satisfies Pick<Deliveries, "claimMail" | "claimChat">
})
