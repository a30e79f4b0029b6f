import { DateTime, Effect, Option, Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  type DatabaseUnavailable,
  EmailTaken,
  NotFound,
  type PasswordsBusy,
  WrongCredentials
} from "../../domain/errors.ts"
import { nextUserId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { Role } from "../../domain/people/role.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { makeEndSessions } from "./endSessions.ts"
import { makePasswords } from "./passwords.ts"
import type { CheckedPassword } from "./sessions.ts"

const User = Schema.Struct({
  id: UserId,
  email: Schema.String,
  /** In the order of joining. */
  workspaceIds: Schema.Array(WorkspaceId)
})
export type User = typeof User.Type

export interface CheckedUser extends User {
  readonly checked: CheckedPassword
}

export interface Users {
  readonly create: (
    workspaceId: WorkspaceId,
    email: string,
    password: Redacted.Redacted,
    /** A viewer by default. */
    role?: Role
  ) => Effect.Effect<User, NotFound | EmailTaken | PasswordsBusy | DatabaseUnavailable>
  /** Ends all sessions of the user. Returns the new password's stored hash. */
  readonly changePassword: (
    id: UserId,
    current: Redacted.Redacted,
    password: Redacted.Redacted
  ) => Effect.Effect<CheckedPassword, WrongCredentials | PasswordsBusy | DatabaseUnavailable>
  /** Ends the user's sessions. */
  readonly setPassword: (
    email: string,
    password: Redacted.Redacted
  ) => Effect.Effect<void, NotFound | PasswordsBusy | DatabaseUnavailable>
  readonly find: (email: string) => Effect.Effect<Option.Option<User>, DatabaseUnavailable>
  readonly hashPassword: (password: Redacted.Redacted) => Effect.Effect<string, PasswordsBusy>
  readonly authenticate: (
    email: string,
    password: Redacted.Redacted
  ) => Effect.Effect<CheckedUser, WrongCredentials | PasswordsBusy | DatabaseUnavailable>
}

const UserRow = Schema.Struct({ ...User.fields, password: Schema.String })

export const makeUsers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const passwords = yield* makePasswords
  const { endPasswordResets, endSessions } = yield* makeEndSessions

  const findRow = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: UserRow,
    execute: (email) => sql`
      SELECT u.id, u.email, u.password, array(SELECT m.workspace_id FROM members m
        WHERE m.user_id = u.id ORDER BY m.created_at, m.workspace_id) AS "workspaceIds"
      FROM users u WHERE u.email = ${email}`
  })

  const insert = SqlSchema.findOne({
    Request: Schema.Struct({
      id: UserId,
      workspaceId: WorkspaceId,
      email: Schema.String,
      hash: Schema.String,
      role: Role,
      now: Timestamp
    }),
    Result: Schema.Struct({ workspaceExists: Schema.Boolean, inserted: Schema.Boolean }),
    execute: ({ email, hash, id, now, role, workspaceId }) => sql`
      WITH workspace AS (
        SELECT id FROM workspaces WHERE id = ${workspaceId}::uuid
      ), inserted AS (
        INSERT INTO users (id, email, password, created_at)
        SELECT ${id}::uuid, ${email}, ${hash}, ${now}::timestamptz FROM workspace
        ON CONFLICT (email) DO NOTHING RETURNING id
      ), joined AS (
        INSERT INTO members (workspace_id, user_id, role, created_at)
        SELECT workspace.id, inserted.id, ${role}, ${now}::timestamptz FROM workspace, inserted
      )
      SELECT EXISTS (SELECT FROM workspace) AS "workspaceExists", EXISTS (SELECT FROM inserted) AS inserted`
  })

  const create: Users["create"] = Effect.fn("Repo.users.create")(function* (
    workspaceId,
    address,
    password,
    role = "viewer"
  ) {
    const id = yield* nextUserId
    const hash = yield* passwords.hash(password)
    const email = address.toLowerCase()
    const { inserted, workspaceExists } = yield* insert({
      id,
      workspaceId,
      email,
      hash,
      role,
      now: yield* DateTime.now
    }).pipe(Effect.catchTag("NoSuchElementError", Effect.die), withDatabaseTimeout("creating a user"))
    if (!workspaceExists) return yield* new NotFound({ message: `There is no workspace ${workspaceId}` })
    if (!inserted) return yield* new EmailTaken({ message: `There is a user ${email} already` })
    return { id, email, workspaceIds: [workspaceId] }
  })

  const endingSessions = <E, R>(change: Effect.Effect<Pick<User, "id">, E, R>) =>
    sql.withTransaction(Effect.flatMap(change, ({ id }) => Effect.andThen(endPasswordResets(id), endSessions(id))))

  const updatePassword = SqlSchema.findOne({
    Request: Schema.Struct({ email: Schema.String, hash: Schema.String }),
    Result: Schema.Struct({ id: UserId }),
    execute: ({ email, hash }) => sql`
      UPDATE users SET password = ${hash} WHERE email = ${email} RETURNING id`
  })

  const setPassword: Users["setPassword"] = Effect.fn("Repo.users.setPassword")(function* (address, password) {
    const hash = yield* passwords.hash(password)
    const email = address.toLowerCase()
    yield* endingSessions(updatePassword({ email, hash })).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no user ${email}` })),
      withDatabaseTimeout("setting a password")
    )
  })

  const findPassword = SqlSchema.findOneOption({
    Request: UserId,
    Result: Schema.Struct({ password: Schema.String }),
    execute: (id) => sql`SELECT password FROM users WHERE id = ${id}::uuid`
  })

  const replacePassword = SqlSchema.findOne({
    Request: Schema.Struct({ id: UserId, current: Schema.String, hash: Schema.String }),
    Result: Schema.Struct({ id: UserId }),
    execute: ({ current, hash, id }) => sql`
      UPDATE users SET password = ${hash} WHERE id = ${id}::uuid AND password = ${current} RETURNING id`
  })

  const changePassword: Users["changePassword"] = Effect.fn("Repo.users.changePassword")(
    function* (id, current, password) {
      const stored = Option.map(
        yield* findPassword(id).pipe(withDatabaseTimeout("changing a password")),
        (row) => row.password
      )
      const matches = yield* passwords.matches(current, stored)
      if (Option.isNone(stored) || !matches) return yield* new WrongCredentials()
      // If the stored password was changed since it was read, `current` is wrong now.
      const hash = yield* passwords.hash(password)
      yield* endingSessions(replacePassword({ id, current: stored.value, hash })).pipe(
        Effect.catchTag("NoSuchElementError", () => new WrongCredentials()),
        withDatabaseTimeout("changing a password")
      )
      return Redacted.make(hash)
    }
  )

  const find: Users["find"] = Effect.fn("Repo.users.find")((address) =>
    findRow(address.toLowerCase()).pipe(
      Effect.map(Option.map(({ password: _, ...user }): User => user)),
      withDatabaseTimeout("looking up a user")
    )
  )

  const authenticate: Users["authenticate"] = Effect.fn("Repo.users.authenticate")(function* (address, password) {
    const user = yield* findRow(address.toLowerCase()).pipe(withDatabaseTimeout("logging in"))
    const matches = yield* passwords.matches(
      password,
      Option.map(user, (row) => row.password)
    )
    if (Option.isNone(user) || !matches) return yield* new WrongCredentials()
    const { password: checked, ...found } = user.value
    return { ...found, checked: Redacted.make(checked) }
  })

  return { create, changePassword, hashPassword: passwords.hash, setPassword, find, authenticate } satisfies Users
})
