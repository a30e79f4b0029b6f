import { DateTime, type Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { PostId } from "../../../src/domain/ids.ts"
import { Scope } from "../../../src/domain/people/apiKey.ts"
import type { LinkCard } from "../../../src/domain/posts/linkCard.ts"
import type { PostPlan } from "../../../src/domain/posts/postPlan.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "./fixtures.ts"

export const later = DateTime.makeUnsafe("2030-01-01T00:00:00Z")

type Post = PostPlan & { readonly card?: LinkCard }

/** A workspace with a program, and a function by which the program creates posts. */
export const makeProgram = Effect.fnUntraced(function* (expiresIn: Duration.Duration | null = null) {
  const { apiKeys, posts } = yield* Repo
  const workspaceId = yield* makeWorkspace()
  const { stored } = yield* apiKeys.create({
    workspaceId,
    name: "A program",
    scopes: Scope.literals,
    requiresApproval: false,
    expiresIn
  })
  const by = { author: { type: "key", id: stored.id }, workspaceId, roles: ["admin", "editor"] } as const
  const create = (post: Post = plan(later)) => Effect.map(posts.create(workspaceId, post, by), ({ id }) => id)
  return { by, create, workspaceId }
})

export const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(effects, Effect.exit, { concurrency: "unbounded" })

/** The number of transactions that stored posts. */
export const transactionsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<PostId>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`SELECT DISTINCT xmin::text FROM posts WHERE id = ANY(${ids}::uuid[])`
  return rows.length
})

/** Waits until `isReached` accepts the number of statements that wait for a lock, including advisory locks. */
export const lockWaitsUntil = (isReached: (count: number) => boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
      until: (waiting) => isReached(waiting.length)
    })
  )

export const someLockIsAwaited = lockWaitsUntil((count) => count > 0)

export const locksAreAwaited = (awaited: number) => lockWaitsUntil((count) => count === awaited)
