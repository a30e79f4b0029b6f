import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { type ApiKeys, makeApiKeys } from "./apiKeys/apiKeys.ts"
import { type OAuthStates, makeOAuthStates } from "./integrations/oauthStates.ts"
import { type Idempotency, makeIdempotency } from "./idempotency.ts"
import { type Integrations, makeIntegrations } from "./integrations/integrations.ts"
import { makeNotifications, type Notifications } from "./notifications/notifications.ts"
import { makePosts, type Posts } from "./posts/posts.ts"
import { orUnavailable } from "./postgres/query.ts"
import { makeSessions, type Sessions } from "./people/sessions.ts"
import { makeTargets, type Targets } from "./targets/targets.ts"
import { makeUsers, type Users } from "./people/users.ts"
import { makeWorkspaces, type Workspaces } from "./workspaces.ts"

/** All that is stored, an aggregate at a time. */
export class Repo extends Context.Service<
  Repo,
  {
    readonly workspaces: Workspaces
    readonly apiKeys: ApiKeys
    readonly integrations: Integrations
    readonly oauthStates: OAuthStates
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
        oauthStates: yield* makeOAuthStates,
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
