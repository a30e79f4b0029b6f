import { DateTime, type Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, KeyEnded, NotMember, RoleLost, SessionEnded } from "../../domain/errors.ts"
import { WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { Role } from "../../domain/people/role.ts"
import { AuthorIds, authorIds } from "../postgres/author.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

/** Since the request began, the author was removed or got another role, or their key or session has ended. */
export type AuthorityError = NotMember | RoleLost | KeyEnded | SessionEnded

/** The author can't lose the right during the change's transaction. Fails if they have lost it. */
export type WhileAuthorized = <A, E, R>(
  by: Authority,
  change: Effect.Effect<A, E, R>,
  timeout?: Duration.Duration
) => Effect.Effect<A, E | AuthorityError | DatabaseUnavailable, R>

export const ByAuthority = Schema.Struct({
  ...AuthorIds.fields,
  bySession: Schema.NullOr(Schema.String),
  /** Null if no right is needed, as on the command line. */
  roles: Schema.NullOr(Schema.Array(Role))
})

export const byAuthority = (by: Authority | undefined): typeof ByAuthority.Type => ({
  ...authorIds(by?.author),
  bySession: by?.session ?? null,
  roles: by?.roles ?? null
})

/**
 * The CTEs and the condition of an author's right. The CTEs lock rows until the transaction ends, and read their latest
 * version. So a removal, demotion or revocation waits for the statement, or is seen by it.
 */
export const heldRight = (
  sql: SqlClient.SqlClient,
  {
    byKey,
    bySession,
    byUser,
    now,
    roles,
    workspaceId
  }: typeof ByAuthority.Encoded & { readonly workspaceId: string; readonly now: typeof Timestamp.Encoded }
) => ({
  rows: sql`held_key AS MATERIALIZED (
        SELECT id FROM api_keys WHERE workspace_id = ${workspaceId}::uuid AND id = ${byKey}::uuid AND ${roles}::text[] IS NOT NULL
          AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now}::timestamptz) FOR SHARE
      ), held_member AS MATERIALIZED (
        SELECT role FROM members
        WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${byUser}::uuid AND ${roles}::text[] IS NOT NULL FOR SHARE
      ), held_session AS MATERIALIZED (
        SELECT hash FROM sessions WHERE hash = decode(${bySession}, 'hex') AND expires_at > ${now}::timestamptz FOR KEY SHARE
      )`,
  holds: sql`(${roles}::text[] IS NULL OR EXISTS (SELECT FROM held_key)
        OR (EXISTS (SELECT FROM held_member WHERE role = ANY(${roles}::text[]))
          AND (${bySession}::text IS NULL OR EXISTS (SELECT FROM held_session))))`
})

/**
 * Holds an author's right until the surrounding transaction ends, so that authors change nothing after a response said
 * that they lost it. A transaction that also locks the workspace locks it first.
 */
export const makeAuthority = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const find = SqlSchema.findOne({
    Request: Schema.Struct({ ...ByAuthority.fields, workspaceId: WorkspaceId, now: Timestamp }),
    Result: Schema.Struct({ holds: Schema.Boolean, role: Schema.NullOr(Role) }),
    execute: (by) => {
      const { holds, rows } = heldRight(sql, by)
      return sql`WITH ${rows} SELECT ${holds} AS holds, (SELECT role FROM held_member) AS role`
    }
  })

  const hold = Effect.fnUntraced(function* (by: Authority) {
    const { author, roles, workspaceId } = by
    const { holds, role } = yield* Effect.catchTag(
      find({ ...byAuthority(by), workspaceId, now: yield* DateTime.now }),
      "NoSuchElementError",
      Effect.die
    )
    if (holds) return
    if (author.type === "key") return yield* new KeyEnded()
    if (role === null) return yield* new NotMember()
    return yield* roles.includes(role) ? new SessionEnded() : new RoleLost({ roles })
  })

  const whileAuthorized: WhileAuthorized = (by, change, timeout) =>
    withDatabaseTimeout("a change of somebody's", timeout)(sql.withTransaction(Effect.andThen(hold(by), change)))

  return {
    hold: (by: Authority | undefined) => (by === undefined ? Effect.void : hold(by)),
    whileAuthorized
  }
})
