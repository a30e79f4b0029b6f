import { DateTime, type Duration, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, KeyEnded, NotMember, RoleLost } from "../../domain/errors.ts"
import { ApiKeyId, WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import { Role } from "../../domain/people/role.ts"
import { Member } from "../../domain/people/session.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"

/** Whoever acts was removed, has another role, or their key has ended, since the request began. */
export type AuthorityError = NotMember | RoleLost | KeyEnded

/** Runs a change in a transaction, in which its author can't lose the right to it. Fails where they have lost it. */
export type WhileAuthorized = <A, E, R>(
  by: Authority,
  change: Effect.Effect<A, E, R>,
  timeout?: Duration.Duration
) => Effect.Effect<A, E | AuthorityError | DatabaseUnavailable, R>

/**
 * Holds on to the right of somebody until the surrounding transaction ends: whoever removes them, changes their role or revokes
 * their key waits for it, so that nothing is done by them once that was answered. A transaction that locks the workspace does so before.
 */
export const makeAuthority = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const holdMember = SqlSchema.findOneOption({
    Request: Member,
    Result: Schema.Struct({ role: Role }),
    execute: ({ userId, workspaceId }) => sql`
      SELECT role FROM members WHERE workspace_id = ${workspaceId}::uuid AND user_id = ${userId}::uuid FOR SHARE`
  })

  const holdKey = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, id: ApiKeyId, now: Timestamp }),
    Result: Schema.Struct({ id: ApiKeyId }),
    execute: ({ id, now, workspaceId }) => sql`
      SELECT id FROM api_keys WHERE workspace_id = ${workspaceId}::uuid AND id = ${id}::uuid AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > ${now}::timestamptz) FOR SHARE`
  })

  const hold = Effect.fnUntraced(function* ({ author, roles, workspaceId }: Authority) {
    if (author.type === "key") {
      const key = yield* holdKey({ workspaceId, id: author.id, now: yield* DateTime.now })
      return Option.isSome(key) ? undefined : yield* new KeyEnded()
    }
    const member = yield* holdMember({ workspaceId, userId: author.id })
    if (Option.isNone(member)) return yield* new NotMember()
    if (!roles.includes(member.value.role)) return yield* new RoleLost({ roles })
  })

  const whileAuthorized: WhileAuthorized = (by, change, timeout) =>
    withDatabaseTimeout("a change of somebody's", timeout)(sql.withTransaction(Effect.andThen(hold(by), change)))

  return {
    /** Does nothing without an author, as on the command line. */
    hold: (by: Authority | undefined) => (by === undefined ? Effect.void : hold(by)),
    whileAuthorized
  }
})
