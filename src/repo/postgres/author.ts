import { Schema } from "effect"
import type { Author } from "../../domain/people/actor.ts"
import { ApiKeyId, UserId } from "../../domain/ids.ts"

/** Who did something, as it is stored; both are null where nobody did, or nobody knows. */
export const AuthorIds = Schema.Struct({ byKey: Schema.NullOr(ApiKeyId), byUser: Schema.NullOr(UserId) })

export const authorIds = (by: Author | null | undefined): typeof AuthorIds.Type => ({
  byKey: by?.type === "key" ? by.id : null,
  byUser: by?.type === "user" ? by.id : null
})

/**
 * Who did something as JSON of an `Author`, as SQL: by the columns with the id of the key, which is one of the workspace, or of the
 * user.
 */
export const authorJson = (key: string, user: string, workspace: string) => `CASE WHEN ${key} IS NOT NULL
        THEN (SELECT to_json(author) FROM (SELECT 'key' AS type, k.id, k.name FROM api_keys k
          WHERE k.id = ${key} AND k.workspace_id = ${workspace}) author)
        ELSE (SELECT to_json(author) FROM (SELECT 'user' AS type, u.id, coalesce(u.name, u.email) AS name FROM users u
          WHERE u.id = ${user}) author) END`

/** The same as the text of that JSON, joined without JSON's own functions, which take longer. */
export const authorText = (key: string, user: string, workspace: string) => `coalesce(CASE WHEN ${key} IS NOT NULL
        THEN (SELECT '{"type":"key","id":"' || k.id || '","name":' || to_json(k.name)::text || '}' FROM api_keys k
          WHERE k.id = ${key} AND k.workspace_id = ${workspace})
        ELSE (SELECT '{"type":"user","id":"' || u.id || '","name":' || to_json(coalesce(u.name, u.email))::text || '}' FROM users u
          WHERE u.id = ${user}) END, 'null')`
