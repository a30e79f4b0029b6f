import { Schema } from "effect"
import type { Author } from "../../domain/people/actor.ts"
import { ApiKeyId, UserId } from "../../domain/ids.ts"

export const AuthorIds = Schema.Struct({ byKey: Schema.NullOr(ApiKeyId), byUser: Schema.NullOr(UserId) })

export const authorIds = (by: Author | null | undefined): typeof AuthorIds.Type => ({
  byKey: by?.type === "key" ? by.id : null,
  byUser: by?.type === "user" ? by.id : null
})

/** A key must belong to the workspace. */
export const authorJson = (key: string, user: string, workspace: string) => `CASE WHEN ${key} IS NOT NULL
        THEN (SELECT to_json(author) FROM (SELECT 'key' AS type, k.id, k.name FROM api_keys k
          WHERE k.id = ${key} AND k.workspace_id = ${workspace}) author)
        ELSE (SELECT to_json(author) FROM (SELECT 'user' AS type, u.id, coalesce(u.name, u.email) AS name FROM users u
          WHERE u.id = ${user}) author) END`

/** `authorJson` as text, concatenated because PostgreSQL's JSON functions take longer. */
export const authorText = (key: string, user: string, workspace: string) => `coalesce(CASE WHEN ${key} IS NOT NULL
        THEN (SELECT '{"type":"key","id":"' || k.id || '","name":' || to_json(k.name)::text || '}' FROM api_keys k
          WHERE k.id = ${key} AND k.workspace_id = ${workspace})
        ELSE (SELECT '{"type":"user","id":"' || u.id || '","name":' || to_json(coalesce(u.name, u.email))::text || '}' FROM users u
          WHERE u.id = ${user}) END, 'null')`
