import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"

/** Sets an account's picture URL, as its platform would. Returns the account's id. */
export const setAvatarUrl = Effect.fn("setAvatarUrl")(function* (workspaceId: WorkspaceId, url: string | null) {
  const { integrations } = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const [account] = yield* integrations.list(workspaceId)
  const { id } = account ?? (yield* Effect.die("There is no account"))
  yield* sql`UPDATE integrations SET avatar_url = ${url}::text WHERE id = ${id}::uuid`
  return id
})

/** Stores a copy of an account's picture. Returns the account's id. */
export const storeAvatar = Effect.fn("storeAvatar")(function* (
  workspaceId: WorkspaceId,
  content = new TextEncoder().encode("a picture")
) {
  const { avatars } = yield* Repo
  const sourceUrl = `https://cdn.example/${workspaceId}`
  const id = yield* setAvatarUrl(workspaceId, sourceUrl)
  yield* avatars.takeMissing(100)
  yield* avatars.store({ id, workspaceId, sourceUrl }, content)
  return id
})
