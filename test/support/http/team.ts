import { DateTime, type Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { defaultScopes } from "../../../src/domain/plain/access.ts"
import { type KeyHolder, Scope } from "../../../src/domain/people/apiKey.ts"
import { nextUserId, type UserId } from "../../../src/domain/ids.ts"
import type { Role } from "../../../src/domain/people/role.ts"
import type { Notifier } from "../../../src/notifier/Notifier.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../database/fixtures.ts"
import { repoLayer } from "../database/testDatabase.ts"
import { postId } from "./samplePosts.ts"
import { ServerUrl, startServer, type TestServerOptions } from "./server.ts"

type WorkspaceId = KeyHolder["workspaceId"]

export const startOnDatabase = Effect.fn("startOnDatabase")(function* (options: TestServerOptions = {}) {
  const stores = Layer.succeedContext(yield* Effect.context<Repo | Notifier>())
  return yield* startServer({ repo: stores, notifier: stores, ...options })
})

/** A server and its database, which a group of tests shares. */
export const databaseServerLayer = (options?: TestServerOptions) =>
  Layer.effect(ServerUrl, startOnDatabase(options)).pipe(Layer.provideMerge(repoLayer))

/** By default the key has all scopes, requires no approval and does not expire. */
export const makeKey = Effect.fn("makeKey")(function* (
  workspaceId: WorkspaceId,
  options: Partial<{
    scopes: ReadonlyArray<Scope>
    requiresApproval: boolean
    expiresIn: Duration.Duration | null
  }> = {}
) {
  const { apiKeys } = yield* Repo
  const { key, stored } = yield* apiKeys.create({
    workspaceId,
    name: "A key",
    scopes: options.requiresApproval === true ? defaultScopes : Scope.literals,
    requiresApproval: false,
    expiresIn: null,
    ...options
  })
  return { id: stored.id, key: Redacted.value(key) }
})

let members = 0

/** A stored hash that no password matches. */
const noPassword = JSON.stringify({ algorithm: "argon2id-19456-2-1", salt: "AAAAAAAAAAAAAAAAAAAAAA==", hash: "" })

/** Creates a member without a password, because hashing is slow. */
export const makeMember = Effect.fn("makeMember")(function* (workspaceId: WorkspaceId, role: Role = "admin") {
  const sql = yield* SqlClient.SqlClient
  const id = yield* nextUserId
  const email = `member${++members}@example.com`
  const now = DateTime.formatIso(yield* DateTime.now)
  yield* sql`INSERT INTO users (id, email, password, created_at) VALUES (${id}::uuid, ${email}, ${noPassword}, ${now}::timestamptz)`
  yield* sql`INSERT INTO members (workspace_id, user_id, role, created_at)
    VALUES (${workspaceId}::uuid, ${id}::uuid, ${role}, ${now}::timestamptz)`
  return { id, email }
})

/** Returns the session's cookie. */
export const makeSession = Effect.fn("makeSession")(function* (userId: UserId, workspaceId: WorkspaceId) {
  const { token } = yield* (yield* Repo).sessions.open({ userId, workspaceId })
  return `__Host-session=${Redacted.value(token)}`
})

/** A workspace with accounts on both platforms, a key with all scopes, and an admin with a session. */
export const makeTeam = Effect.gen(function* () {
  const workspaceId = yield* makeWorkspace()
  const { key } = yield* makeKey(workspaceId)
  const user = yield* makeMember(workspaceId)
  return { workspaceId, key, user, cookie: yield* makeSession(user.id, workspaceId) }
})

export type Team = Effect.Success<typeof makeTeam>

export const adminOf = ({ user, workspaceId }: Pick<Team, "user" | "workspaceId">) => ({ userId: user.id, workspaceId })

/** Returns the notification's id. */
export const notify = Effect.fn("notify")(function* (workspaceId: WorkspaceId, title = "Published on X") {
  const { events, notifications } = yield* Repo
  const notification = {
    title,
    message: "Hello",
    actionUrl: null,
    event: { type: "post.published", metadata: { post_id: postId, platforms: ["twitter"] } }
  } as const
  yield* events.record({ events: [], notifications: [{ workspaceId, notification }] })
  const { data } = yield* notifications.page(workspaceId, 0, 1)
  return data[0]?.id ?? ""
})
