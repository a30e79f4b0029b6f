import { Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, SessionEnded } from "../../domain/errors.ts"
import { UserId } from "../../domain/ids.ts"
import { ProfileSettings } from "../../domain/people/profile.ts"
import { SessionHolder } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"

/** A person as they see themselves. */
const Profile = Schema.Struct({ userId: UserId, email: Schema.String, ...ProfileSettings.fields })
export type Profile = typeof Profile.Type

/** The person whose session it is; a session that has ended meanwhile is refused. */
type Own = Pick<SessionHolder, "session" | "userId">

export interface OwnProfiles {
  readonly get: (own: Own) => Effect.Effect<Profile, SessionEnded | DatabaseUnavailable>
  /** Changes the given members, and leaves the others as they are. */
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
    Result: Profile,
    execute: (own) => sql`SELECT ${columns} FROM users WHERE ${isOwn(own)}`
  })

  const write = SqlSchema.findOne({
    Request: Schema.Struct({
      ...Own.fields,
      changes: Schema.Struct(Struct.map(ProfileSettings.fields, Schema.optionalKey))
    }),
    Result: Profile,
    execute: ({ changes, ...own }) =>
      sql`UPDATE users SET ${sql.update(changes)} WHERE ${isOwn(own)} RETURNING ${columns}`
  })

  const get: OwnProfiles["get"] = Effect.fn("Repo.ownProfiles.get")((own) =>
    find(own).pipe(
      Effect.catchTag("NoSuchElementError", () => new SessionEnded()),
      withDatabaseTimeout("reading a profile")
    )
  )

  const update: OwnProfiles["update"] = Effect.fn("Repo.ownProfiles.update")((own, changes) =>
    (Struct.keys(changes).length === 0 ? find(own) : write({ ...own, changes })).pipe(
      Effect.catchTag("NoSuchElementError", () => new SessionEnded()),
      withDatabaseTimeout("changing a profile")
    )
  )

  return { get, update } satisfies OwnProfiles
})
