import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { IntegrationId } from "../../domain/ids.ts"
import type { AccountProfile } from "../../domain/accounts/integration.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { readableRows } from "../readableRows.ts"
import { makeFormerAccess } from "./formerAccess.ts"
import type { FormerAccess } from "./Integrations.ts"
import { FormerAccountRow } from "./rows.ts"

const profileInterval = Duration.days(1)

/** An access token works at least this long: both platforms issue it for two hours. */
const freshness = Duration.hours(1)

export interface StaleProfile extends FormerAccess {
  readonly id: IntegrationId
}

export interface Profiles {
  /**
   * Takes accounts whose credentials were renewed within an hour, and whose profile was looked up a day or more ago.
   * One process takes each account, which then counts as looked up.
   */
  readonly takeStale: (limit: number) => Effect.Effect<ReadonlyArray<StaleProfile>, DatabaseUnavailable>
  /** Does nothing if another account was connected. */
  readonly store: (stale: StaleProfile, profile: AccountProfile) => Effect.Effect<void, DatabaseUnavailable>
}

export const makeProfiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const access = yield* makeFormerAccess
  const readRows = readableRows(FormerAccountRow, "The profile of an account that can't be read is not looked up")

  const take = SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, now: Timestamp, before: Timestamp, renewedAfter: Timestamp }),
    Result: Schema.Unknown,
    execute: ({ before, limit, now, renewedAfter }) => sql`
      UPDATE integrations SET profile_at = ${now}::timestamptz
      WHERE id IN (
        SELECT id FROM integrations
        WHERE status = 'connected' AND renewed_at > ${renewedAfter}::timestamptz
          AND coalesce(profile_at, '-infinity') <= ${before}::timestamptz
        ORDER BY renewed_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
      RETURNING id, platform, account_id AS "accountId", username, service_url AS "serviceUrl", credentials`
  })

  const takeStale: Profiles["takeStale"] = Effect.fn("Repo.profiles.takeStale")(function* (limit) {
    const now = yield* DateTime.now
    const before = DateTime.subtractDuration(now, profileInterval)
    const renewedAfter = DateTime.subtractDuration(now, freshness)
    const rows = yield* take({ limit, now, before, renewedAfter }).pipe(
      withDatabaseTimeout("finding profiles to look up"),
      Effect.flatMap(readRows)
    )
    const found = yield* Effect.forEach(rows, (row) => Effect.map(access(row), (open) => ({ id: row.id, open })))
    return found.flatMap(({ id, open }) => (open === null ? [] : [{ id, ...open }]))
  })

  // Leaves `updated_at` unchanged: attempts use it to see if the account was connected again.
  const write = SqlSchema.void({
    Request: Schema.Struct({
      id: IntegrationId,
      accountId: Schema.String,
      username: Schema.NullOr(Schema.String),
      displayName: Schema.NullOr(Schema.String),
      avatarUrl: Schema.NullOr(Schema.String)
    }),
    execute: ({ accountId, avatarUrl, displayName, id, username }) => sql`
      UPDATE integrations SET username = coalesce(${username}::text, username), display_name = ${displayName}::text,
        avatar_url = ${avatarUrl}::text
      WHERE id = ${id}::uuid AND account_id = ${accountId}`
  })

  const store: Profiles["store"] = Effect.fn("Repo.profiles.store")(({ accountId, id }, profile) =>
    write({ id, accountId, ...profile }).pipe(withDatabaseTimeout("storing a profile"))
  )

  return { takeStale, store } satisfies Profiles
})
