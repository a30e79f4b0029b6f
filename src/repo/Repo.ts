import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type ApiKeys, makeApiKeys } from "./apiKeys.ts"
import { type Authorisations, makeAuthorisations } from "./authorisations.ts"
import { type Idempotency, makeIdempotency } from "./idempotency.ts"
import { type Integrations, makeIntegrations } from "./integrations.ts"
import { makeNotifications, type Notifications } from "./notifications.ts"
import { makePosts, type Posts } from "./posts.ts"
import { orUnavailable } from "./query.ts"
import { makeSessions, type Sessions } from "./sessions.ts"
import { makeTargets, type Targets } from "./targets.ts"
import { makeUsers, type Users } from "./users.ts"
import { makeWorkspaces, type Workspaces } from "./workspaces.ts"

/** All that is stored, an aggregate at a time. */
export class Repo extends Context.Service<
  Repo,
  {
    readonly workspaces: Workspaces
    readonly apiKeys: ApiKeys
    readonly integrations: Integrations
    readonly authorisations: Authorisations
    readonly posts: Posts
    readonly targets: Targets
    readonly notifications: Notifications
    readonly users: Users
    readonly sessions: Sessions
    readonly idempotency: Idempotency
    /** Makes what an effect writes take place whole or not at all. */
    readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseUnavailable, R>
    /** Answers when the database does. */
    readonly ping: Effect.Effect<void, DatabaseUnavailable>
  }
>()("social-publisher/repo/Repo") {
  static readonly layer = Layer.effect(
    Repo,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      return Repo.of({
        workspaces: yield* makeWorkspaces,
        apiKeys: yield* makeApiKeys,
        integrations: yield* makeIntegrations,
        authorisations: yield* makeAuthorisations,
        posts: yield* makePosts,
        targets: yield* makeTargets,
        notifications: yield* makeNotifications,
        users: yield* makeUsers,
        sessions: yield* makeSessions,
        idempotency: yield* makeIdempotency,
        transaction: (effect) => orUnavailable("a transaction")(sql.withTransaction(effect)),
        ping: Effect.asVoid(orUnavailable("answering a ping")(sql`SELECT 1`))
      })
    })
  )
}
