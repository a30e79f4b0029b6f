import { DateTime, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { type DatabaseUnavailable, NotFound } from "../domain/errors.ts"
import { nextWorkspaceId, WorkspaceId } from "../domain/ids.ts"
import { withDatabaseTimeout } from "./postgres/databaseErrors.ts"
import { Timestamp } from "./postgres/rows.ts"

export const Workspace = Schema.Struct({ id: WorkspaceId, name: Schema.String, createdAt: Timestamp })
export type Workspace = typeof Workspace.Type

export interface Workspaces {
  readonly create: (name: string) => Effect.Effect<Workspace, DatabaseUnavailable>
  readonly check: (id: WorkspaceId) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  readonly nameOf: (id: WorkspaceId) => Effect.Effect<string, NotFound | DatabaseUnavailable>
  /** A BCP 47 tag, or null for none. */
  readonly setLanguage: (
    id: WorkspaceId,
    language: string | null
  ) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  /** Oldest first. */
  readonly list: Effect.Effect<ReadonlyArray<Workspace>, DatabaseUnavailable>
}

export const makeWorkspaces = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const insert = SqlSchema.void({
    Request: Workspace,
    execute: ({ createdAt, id, name }) => sql`
      INSERT INTO workspaces (id, name, created_at) VALUES (${id}::uuid, ${name}, ${createdAt}::timestamptz)`
  })

  const create: Workspaces["create"] = Effect.fn("Repo.workspaces.create")(function* (name) {
    const workspace = { id: yield* nextWorkspaceId, name, createdAt: yield* DateTime.now }
    yield* insert(workspace).pipe(withDatabaseTimeout("creating a workspace"))
    return workspace
  })

  const find = SqlSchema.findOne({
    Request: WorkspaceId,
    Result: Schema.Struct({ name: Schema.String }),
    execute: (id) => sql`SELECT name FROM workspaces WHERE id = ${id}::uuid`
  })

  const nameOf: Workspaces["nameOf"] = Effect.fn("Repo.workspaces.nameOf")((id) =>
    find(id).pipe(
      Effect.map(({ name }) => name),
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no workspace ${id}` })),
      withDatabaseTimeout("finding a workspace")
    )
  )

  const check: Workspaces["check"] = Effect.fn("Repo.workspaces.check")((id) => Effect.asVoid(nameOf(id)))

  const writeLanguage = SqlSchema.findOne({
    Request: Schema.Struct({ id: WorkspaceId, language: Schema.NullOr(Schema.String) }),
    Result: Schema.Struct({ id: WorkspaceId }),
    execute: ({ id, language }) => sql`UPDATE workspaces SET language = ${language} WHERE id = ${id}::uuid RETURNING id`
  })

  const setLanguage: Workspaces["setLanguage"] = Effect.fn("Repo.workspaces.setLanguage")((id, language) =>
    writeLanguage({ id, language }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no workspace ${id}` })),
      Effect.asVoid,
      withDatabaseTimeout("setting a workspace's language")
    )
  )

  const findAll = SqlSchema.findAll({
    Request: Schema.Struct({}),
    Result: Workspace,
    execute: () => sql`SELECT id, name, created_at AS "createdAt" FROM workspaces ORDER BY id`
  })

  const list: Workspaces["list"] = findAll({}).pipe(
    withDatabaseTimeout("listing workspaces"),
    Effect.withSpan("Repo.workspaces.list")
  )

  return { create, check, nameOf, setLanguage, list } satisfies Workspaces
})
