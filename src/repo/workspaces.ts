import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { nextWorkspaceId, WorkspaceId } from "../domain/ids.ts"
import { orUnavailable } from "./postgres/query.ts"
import { Timestamp } from "./postgres/rows.ts"

export const Workspace = Schema.Struct({ id: WorkspaceId, name: Schema.String, createdAt: Timestamp })
export type Workspace = typeof Workspace.Type

export interface Workspaces {
  readonly create: (name: string) => Effect.Effect<Workspace, DatabaseUnavailable>
  /** Oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Workspace>, DatabaseUnavailable>
}

export const makeWorkspaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const create: Workspaces["create"] = Effect.fn("Repo.workspaces.create")(function* (name) {
    const id = yield* nextWorkspaceId
    const createdAt = yield* DateTime.now
    yield* sql`INSERT INTO workspaces (id, name, created_at)
      VALUES (${id}::uuid, ${name}, ${DateTime.toDateUtc(createdAt)}::timestamptz)`.pipe(
      orUnavailable("creating a workspace")
    )
    return { id, name, createdAt }
  })

  const list = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Workspace,
    execute: () => sql`SELECT id, name, created_at AS "createdAt" FROM workspaces ORDER BY id`
  })(undefined).pipe(orUnavailable("listing workspaces"), Effect.withSpan("Repo.workspaces.list"))

  return { create, list } satisfies Workspaces
})
