import { DateTime, Effect, Option, type Redacted, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import {
  type DatabaseUnavailable,
  EmailTaken,
  NotFound,
  type PasswordsBusy,
  WrongCredentials
} from "../../domain/errors.ts"
import { nextUserId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { makePasswords } from "./passwords.ts"
import { orUnavailable } from "../postgres/query.ts"

/** A person who logs in, and the workspaces that they are a member of, the one they joined first first. */
export interface User {
  readonly id: UserId
  readonly email: string
  readonly workspaceIds: ReadonlyArray<WorkspaceId>
}

export interface Users {
  /** Fails with NotFound for an unknown workspace. */
  readonly create: (
    workspaceId: WorkspaceId,
    email: string,
    password: Redacted.Redacted
  ) => Effect.Effect<User, NotFound | EmailTaken | PasswordsBusy | DatabaseUnavailable>
  /** Sets another password and ends the user's sessions. Fails with NotFound for an unknown address. */
  readonly setPassword: (
    email: string,
    password: Redacted.Redacted
  ) => Effect.Effect<void, NotFound | PasswordsBusy | DatabaseUnavailable>
  readonly authenticate: (
    email: string,
    password: Redacted.Redacted
  ) => Effect.Effect<User, WrongCredentials | PasswordsBusy | DatabaseUnavailable>
}

const UserRow = Schema.Struct({
  id: UserId,
  email: Schema.String,
  password: Schema.String,
  workspaceIds: Schema.Array(WorkspaceId)
})

export const makeUsers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const passwords = yield* makePasswords

  const find = SqlSchema.findOneOption({
    Request: Schema.String,
    Result: UserRow,
    execute: (email) =>
      sql`SELECT u.id, u.email, u.password, array(SELECT m.workspace_id FROM members m
          WHERE m.user_id = u.id ORDER BY m.created_at, m.workspace_id) AS "workspaceIds"
        FROM users u WHERE u.email = ${email}`
  })

  const create: Users["create"] = Effect.fn("Repo.users.create")(function* (workspaceId, email, password) {
    const id = yield* nextUserId
    const hash = yield* passwords.hash(password)
    const now = DateTime.toDateUtc(yield* DateTime.now)
    const address = email.toLowerCase()
    const made = yield* sql`
      WITH workspace AS (
        SELECT id FROM workspaces WHERE id = ${workspaceId}::uuid
      ), made AS (
        INSERT INTO users (id, email, password, created_at)
        SELECT ${id}::uuid, ${address}, ${hash}, ${now}::timestamptz FROM workspace
        ON CONFLICT (email) DO NOTHING RETURNING id
      ), joined AS (
        INSERT INTO members (workspace_id, user_id, created_at)
        SELECT workspace.id, made.id, ${now}::timestamptz FROM workspace, made
      )
      SELECT EXISTS (SELECT FROM workspace) AS known, EXISTS (SELECT FROM made) AS made`.pipe(
      Effect.flatMap(
        Schema.decodeUnknownEffect(Schema.Tuple([Schema.Struct({ known: Schema.Boolean, made: Schema.Boolean })]))
      ),
      orUnavailable("creating a user")
    )
    if (!made[0].known) return yield* new NotFound({ message: `There is no workspace ${workspaceId}` })
    if (!made[0].made) return yield* new EmailTaken({ message: `There is a user ${address} already` })
    return { id, email: address, workspaceIds: [workspaceId] }
  })

  const setPassword: Users["setPassword"] = Effect.fn("Repo.users.setPassword")(function* (email, password) {
    const hash = yield* passwords.hash(password)
    const address = email.toLowerCase()
    const changed = yield* sql`
      WITH changed AS (
        UPDATE users SET password = ${hash} WHERE email = ${address} RETURNING id
      ), ended AS (
        DELETE FROM sessions WHERE user_id IN (SELECT id FROM changed)
      )
      SELECT id FROM changed`.pipe(orUnavailable("setting a password"))
    if (changed.length === 0) return yield* new NotFound({ message: `There is no user ${address}` })
  })

  const authenticate: Users["authenticate"] = Effect.fn("Repo.users.authenticate")(function* (email, password) {
    const user = yield* find(email.toLowerCase()).pipe(orUnavailable("logging in"))
    const matches = yield* passwords.matches(
      password,
      Option.map(user, (row) => row.password)
    )
    if (Option.isNone(user) || !matches) return yield* new WrongCredentials()
    const { id, workspaceIds } = user.value
    return { id, email: user.value.email, workspaceIds }
  })

  return { create, setPassword, authenticate } satisfies Users
})
