import { Effect, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, SessionEnded } from "../../domain/errors.ts"
import { UserId } from "../../domain/ids.ts"
import { ProfileSettings } from "../../domain/people/profile.ts"
import { mutableNotifications, themes, weekStarts } from "../../domain/plain/profile.ts"
import { SessionHolder } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"

export interface Profile extends ProfileSettings {
  readonly userId: UserId
  readonly email: string
}

const ProfileRow = Schema.Struct({
  userId: UserId,
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  theme: Schema.String,
  hours: Schema.Int,
  week_starts_on: Schema.String,
  time_zone: Schema.NullOr(Schema.String),
  muted_notifications: Schema.Array(Schema.NullOr(Schema.String))
})

const decodeZone = Schema.decodeOption(ProfileSettings.fields.time_zone)

const pick = <A>(values: readonly [A, ...ReadonlyArray<A>], stored: unknown): A =>
  values.find((value) => value === stored) ?? values[0]

/** Unknown values become the default: a later version, or a Node with more time zones, may have stored them. */
const toProfile = (row: typeof ProfileRow.Type): Profile => ({
  ...row,
  theme: pick(themes, row.theme),
  hours: pick([24, 12], row.hours),
  week_starts_on: pick(weekStarts, row.week_starts_on),
  time_zone: Option.getOrNull(decodeZone(row.time_zone)),
  muted_notifications: mutableNotifications.filter((type) => row.muted_notifications.includes(type))
})

type Own = Pick<SessionHolder, "session" | "userId">

export interface OwnProfiles {
  readonly get: (own: Own) => Effect.Effect<Profile, SessionEnded | DatabaseUnavailable>
  readonly update: (
    own: Own,
    changes: Partial<ProfileSettings>
  ) => Effect.Effect<Profile, SessionEnded | DatabaseUnavailable>
}

export const makeOwnProfiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const Own = Schema.Struct(Struct.pick(SessionHolder.fields, ["session", "userId"]))

  const columns = sql.literal(
    `id AS "userId", email, name, theme, hours, week_starts_on, time_zone, muted_notifications`
  )

  const isOwn = ({ session, userId }: typeof Own.Encoded) => sql`id = ${userId}::uuid
    AND EXISTS (SELECT FROM sessions WHERE hash = decode(${session}, 'hex') AND user_id = ${userId}::uuid)`

  const find = SqlSchema.findOne({
    Request: Own,
    Result: ProfileRow,
    execute: (own) => sql`SELECT ${columns} FROM users WHERE ${isOwn(own)}`
  })

  const write = SqlSchema.findOne({
    Request: Schema.Struct({
      ...Own.fields,
      changes: Schema.Struct(Struct.map(ProfileSettings.fields, Schema.optionalKey))
    }),
    Result: ProfileRow,
    execute: ({ changes, ...own }) =>
      sql`UPDATE users SET ${sql.update(changes)} WHERE ${isOwn(own)} RETURNING ${columns}`
  })

  const get: OwnProfiles["get"] = Effect.fn("Repo.ownProfiles.get")((own) =>
    find(own).pipe(
      Effect.map(toProfile),
      Effect.catchTag("NoSuchElementError", () => new SessionEnded()),
      withDatabaseTimeout("reading a profile")
    )
  )

  const update: OwnProfiles["update"] = Effect.fn("Repo.ownProfiles.update")((own, changes) =>
    (Struct.keys(changes).length === 0 ? find(own) : write({ ...own, changes })).pipe(
      Effect.map(toProfile),
      Effect.catchTag("NoSuchElementError", () => new SessionEnded()),
      withDatabaseTimeout("changing a profile")
    )
  )

  return { get, update } satisfies OwnProfiles
})
