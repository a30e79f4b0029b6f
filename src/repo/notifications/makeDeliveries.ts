import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { ChannelId, ClaimToken, NotificationDeliveryId } from "../../domain/ids.ts"
import { onDatabaseClock } from "../postgres/databaseClock.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { NullableTimestamp, Timestamp } from "../postgres/rows.ts"
import { makeRemoveBefore } from "../removeBefore.ts"
import { makeClaims } from "./claims.ts"
import { type Deliveries, DeliveryBacklog, DisabledChannel } from "./Deliveries.ts"
import { makeDispatch } from "./dispatch.ts"
import { isFor } from "./turns.ts"

const Held = { id: NotificationDeliveryId, token: ClaimToken }

const End = Schema.Struct({
  ...Held,
  status: Schema.String,
  nextAt: NullableTimestamp,
  error: Schema.NullOr(Schema.String),
  now: Timestamp
})

export const makeDeliveries = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const onClock = (at: Date | null, now: Date) =>
    onDatabaseClock(sql, sql`${at}::timestamptz`, sql`${now}::timestamptz`)

  const settle = ({ error, id, nextAt, now, status, token }: (typeof End)["Encoded"]) => sql`
    UPDATE notification_deliveries SET status = ${status}, claim_token = NULL, error = ${error},
      next_at = CASE WHEN ${nextAt}::timestamptz IS NOT NULL THEN ${onClock(nextAt, now)} END,
      ended_at = CASE WHEN ${nextAt}::timestamptz IS NULL THEN least(${now}::timestamptz, clock_timestamp()) END
    WHERE id = ${id}::uuid AND claim_token = ${token}::uuid`

  const writeMail = SqlSchema.void({ Request: End, execute: settle })

  const settleMail: Deliveries["settleMail"] = Effect.fn("Repo.deliveries.settleMail")(function* ({ id, token }, end) {
    yield* writeMail({ id, token, ...end, now: yield* DateTime.now }).pipe(withDatabaseTimeout("settling mail"))
  })

  // The channel is locked before its delivery, as by its deletion.
  const writeChat = SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...End.fields,
      channelId: ChannelId,
      heldUntil: Timestamp,
      isRevoked: Schema.Boolean,
      sealedUrl: Schema.Uint8Array
    }),
    Result: Schema.Struct({ ...DisabledChannel.fields, isDisabled: Schema.Boolean }),
    execute: ({ channelId, heldUntil, isRevoked, sealedUrl, ...end }) => sql`
      WITH locked AS MATERIALIZED (
        SELECT id, disabled_reason AS former FROM channels WHERE id = ${channelId}::uuid FOR NO KEY UPDATE),
      settled AS (${settle(end)} AND EXISTS (SELECT FROM locked) RETURNING id)
      UPDATE channels SET held_until = ${onClock(heldUntil, end.now)},
        disabled_reason = CASE WHEN ${isRevoked}::boolean AND sealed_url = ${sealedUrl}::bytea
          THEN coalesce(disabled_reason, 'revoked') ELSE disabled_reason END
      FROM locked WHERE channels.id = locked.id AND EXISTS (SELECT FROM settled)
      RETURNING channels.id, workspace_id AS "workspaceId", kind, name,
        former IS NULL AND disabled_reason IS NOT NULL AS "isDisabled"`
  })

  const settleChat: Deliveries["settleChat"] = Effect.fn("Repo.deliveries.settleChat")(function* (
    { channelId, id, sealedUrl, token },
    end,
    { heldUntil, isRevoked }
  ) {
    const now = yield* DateTime.now
    const written = yield* writeChat({ id, token, ...end, now, channelId, sealedUrl, heldUntil, isRevoked }).pipe(
      withDatabaseTimeout("settling a message to a channel")
    )
    return Option.filter(written, ({ isDisabled }) => isDisabled)
  })

  const Release = Schema.Struct({ ...Held, now: Timestamp })
  const release = ({ id, now, token }: (typeof Release)["Encoded"]) => sql`
    UPDATE notification_deliveries SET attempts = attempts - 1, claim_token = NULL,
      next_at = least(${now}::timestamptz, clock_timestamp())
    WHERE id = ${id}::uuid AND claim_token = ${token}::uuid`

  const unclaimMail = SqlSchema.void({ Request: Release, execute: release })

  const releaseMail: Deliveries["releaseMail"] = Effect.fn("Repo.deliveries.releaseMail")(function* ({ id, token }) {
    yield* unclaimMail({ id, token, now: yield* DateTime.now }).pipe(withDatabaseTimeout("releasing mail"))
  })

  const unclaimChat = SqlSchema.void({
    Request: Schema.Struct({ ...Release.fields, channelId: ChannelId }),
    execute: ({ channelId, ...held }) => sql`
      WITH locked AS MATERIALIZED (SELECT id FROM channels WHERE id = ${channelId}::uuid FOR NO KEY UPDATE),
      released AS (${release(held)} AND EXISTS (SELECT FROM locked) RETURNING id)
      UPDATE channels SET held_until = NULL WHERE id = ${channelId}::uuid AND EXISTS (SELECT FROM released)`
  })

  const releaseChat: Deliveries["releaseChat"] = Effect.fn("Repo.deliveries.releaseChat")(function* ({
    channelId,
    id,
    token
  }) {
    yield* unclaimChat({ channelId, id, token, now: yield* DateTime.now }).pipe(
      withDatabaseTimeout("releasing a message to a channel")
    )
  })

  const backlog: Deliveries["backlog"] = Effect.fn("Repo.deliveries.backlog")((receivers) =>
    SqlSchema.findOne({
      Request: Schema.Struct({}),
      Result: DeliveryBacklog,
      execute: () => sql`
        SELECT count(*)::int AS waiting, min(greatest(due_at, 'epoch')) AS oldest
        FROM notification_deliveries WHERE ${sql.literal(isFor[receivers])} AND next_at <= clock_timestamp()`
    })({}).pipe(
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("counting the backlog of messages")
    )
  )

  return {
    dispatch: yield* makeDispatch,
    ...(yield* makeClaims),
    settleMail,
    settleChat,
    releaseMail,
    releaseChat,
    backlog,
    removeBefore: yield* makeRemoveBefore("notification_deliveries")
  } satisfies Deliveries
})
