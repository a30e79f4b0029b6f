import { PgClient } from "@effect/sql-pg"
import { DateTime, type Duration, Effect, Option, Queue, Schema } from "effect"
import type { Json } from "effect/Schema"
import { SqlClient, SqlSchema } from "effect/sql"
import { ClaimLost, type DatabaseUnavailable } from "../../domain/errors.ts"
import type { ClaimToken, IntegrationId, PostId, TargetId, WorkspaceId } from "../../domain/ids.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import type { PlatformSettings } from "../../domain/platformSettings.ts"
import type { PostStatus, TargetError } from "../../domain/post.ts"
import type { Settlement } from "../../domain/settlement.ts"
import { makeClaim } from "./claim.ts"
import { dueChannel } from "../postgres/channel.ts"
import { orAway, orUnavailable } from "../postgres/query.ts"
import { NullableTimestamp } from "../postgres/rows.ts"
import { makeSettle } from "./settle.ts"

/** A target that this process alone may send until its lease ends. */
export interface Claim {
  readonly targetId: TargetId
  readonly token: ClaimToken
  /** By this process's clock. */
  readonly leaseUntil: DateTime.Utc
  readonly workspaceId: WorkspaceId
  readonly postId: PostId
  readonly platform: LivePlatform
  readonly text: string
  readonly settings: PlatformSettings
  /** Attempts so far, this one included. */
  readonly attempts: number
  /** Of these, the ones that look for an earlier send whose outcome is unknown. */
  readonly reconcileAttempts: number
  /** When it was first due, by this process's clock: as much later as that runs ahead of the database's. */
  readonly dueSince: DateTime.Utc
  readonly prepared: Json | null
  /** When an earlier send began whose outcome is unknown. */
  readonly sentAt: DateTime.Utc | null
  /** Whether a person ordered another send, should the earlier one not be found. */
  readonly resendOrdered: boolean
  readonly integration: {
    readonly id: IntegrationId
    readonly accountId: string
    readonly username: string
    readonly serviceUrl: string | null
    readonly connected: boolean
    /** Changes when the account is connected again. */
    readonly version: string
  }
}

/** A post as a settlement left it. */
export interface SettledPost {
  readonly workspaceId: WorkspaceId
  readonly postId: PostId
  readonly status: PostStatus
  readonly content: string
  readonly targets: ReadonlyArray<{ readonly platform: LivePlatform; readonly error: TargetError | null }>
}

/** What is due and that no process works on. */
export interface Backlog {
  /** Up to `backlogLimit`. */
  readonly due: number
  /** When the one that has waited longest fell due; null where nothing is due. */
  readonly oldest: DateTime.Utc | null
}

/** How far the backlog is counted, so that counting costs little however long it is. */
export const backlogLimit = 10_000

export interface Targets {
  /**
   * Takes up to `limit` due targets, and those whose lease has run out, each for the length of the lease: of every
   * account its earliest one, and none of an account that has one in flight. One round trip; committed when it answers.
   */
  readonly claim: (limit: number, lease: Duration.Duration) => Effect.Effect<ReadonlyArray<Claim>, DatabaseUnavailable>
  /**
   * Stores what is about to be sent and that sending begins; the lease starts again. When that was is never ahead of the
   * database's clock, or a platform's timeline would show the post as older than its sending.
   */
  readonly beginSend: (
    claim: Claim,
    prepared: Json,
    lease: Duration.Duration
  ) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /** Writes what an attempt came to and rolls the post up. Part of the surrounding transaction, if there is one. */
  readonly settle: (claim: Claim, settlement: Settlement) => Effect.Effect<SettledPost, ClaimLost | DatabaseUnavailable>
  /** Gives a claim back as if it had not been taken. */
  readonly release: (claim: Claim) => Effect.Effect<void, ClaimLost | DatabaseUnavailable>
  /** When the next target becomes due, or a lease runs out, by this process's clock: as much later as that runs ahead of the database's. */
  readonly nextDue: Effect.Effect<Option.Option<DateTime.Utc>, DatabaseUnavailable>
  readonly backlog: Effect.Effect<Backlog, DatabaseUnavailable>
  /**
   * Runs `onWake` once listening has begun, and whenever any process stored something that falls due soon; ends only by
   * failing.
   */
  readonly listen: (onWake: Effect.Effect<unknown>) => Effect.Effect<never, DatabaseUnavailable>
}

export const makeTargets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const pg = yield* PgClient.PgClient

  const beginSend: Targets["beginSend"] = Effect.fn("Repo.targets.beginSend")(function* (claim, prepared, lease) {
    const now = yield* DateTime.now
    const begun = yield* sql`UPDATE post_targets SET prepared = ${JSON.stringify(prepared)}::jsonb,
        sent_at = least(${DateTime.toDateUtc(now)}::timestamptz, clock_timestamp()), resend_ordered = false,
        lease_until = ${DateTime.toDateUtc(DateTime.addDuration(now, lease))}::timestamptz
      WHERE id = ${claim.targetId}::uuid AND claim_token = ${claim.token}::uuid RETURNING id`.pipe(
      orUnavailable("beginning to send")
    )
    if (begun.length === 0) return yield* new ClaimLost()
  })

  const release: Targets["release"] = Effect.fn("Repo.targets.release")(function* (claim) {
    const released = yield* sql`UPDATE post_targets
      SET status = 'pending', claim_token = NULL, lease_until = NULL, attempts = attempts - 1,
        looks = greatest(looks - 1, 0), resend_ordered = ${claim.resendOrdered}::boolean,
        sent_at = ${claim.sentAt === null ? null : DateTime.toDateUtc(claim.sentAt)}::timestamptz
      WHERE id = ${claim.targetId}::uuid AND claim_token = ${claim.token}::uuid RETURNING id`.pipe(
      orUnavailable("giving a claim back")
    )
    if (released.length === 0) return yield* new ClaimLost()
  })

  const nextDue = SqlSchema.findOne({
    Request: Schema.DateTimeUtcFromDate,
    Result: Schema.Struct({ at: NullableTimestamp }),
    execute: (now) =>
      sql`WITH moment AS MATERIALIZED (
          SELECT least(${now}::timestamptz, clock_timestamp()) AS now
        )
        SELECT least(
          (SELECT due_at FROM post_targets WHERE status = 'pending' AND due_at > (SELECT now FROM moment)
            ORDER BY due_at LIMIT 1),
          (SELECT lease_until FROM post_targets WHERE status = 'publishing' AND lease_until > (SELECT now FROM moment)
            ORDER BY lease_until LIMIT 1)) + (${now}::timestamptz - (SELECT now FROM moment)) AS at`
  })

  const backlog = SqlSchema.findOne({
    Request: Schema.DateTimeUtcFromDate,
    Result: Schema.Struct({ due: Schema.Int, oldest: NullableTimestamp }),
    execute: (now) =>
      sql`SELECT least(count(*), ${backlogLimit}::int)::int AS due, min(since) AS oldest FROM (
        (SELECT due_at AS since FROM post_targets WHERE status = 'pending' AND due_at <= ${now}::timestamptz
          ORDER BY due_at LIMIT ${backlogLimit}::int)
        UNION ALL
        (SELECT lease_until FROM post_targets WHERE status = 'publishing' AND lease_until <= ${now}::timestamptz
          ORDER BY lease_until LIMIT ${backlogLimit}::int)) waiting`
  })

  return {
    claim: yield* makeClaim,
    beginSend,
    settle: yield* makeSettle,
    release,
    nextDue: DateTime.now.pipe(
      Effect.flatMap(nextDue),
      Effect.catchTag("NoSuchElementError", Effect.die),
      Effect.map(({ at }) => Option.fromNullOr(at)),
      orUnavailable("looking ahead"),
      Effect.withSpan("Repo.targets.nextDue")
    ),
    backlog: DateTime.now.pipe(
      Effect.flatMap(backlog),
      Effect.catchTag("NoSuchElementError", Effect.die),
      orUnavailable("looking at the backlog"),
      Effect.withSpan("Repo.targets.backlog")
    ),
    listen: (onWake) =>
      Effect.gen(function* () {
        const calls = yield* pg.listen(dueChannel)
        yield* onWake
        return yield* Effect.forever(Effect.andThen(Queue.take(calls), onWake))
      }).pipe(Effect.scoped, orAway("listening for wake-up calls"))
  } satisfies Targets
})
