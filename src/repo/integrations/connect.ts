import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { AnotherAccountConnected, OutcomePending } from "../../domain/accounts/accountChange.ts"
import { NotFound } from "../../domain/errors.ts"
import { IntegrationId, nextIntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { LivePlatform } from "../../domain/platform.ts"
import { makeRecord } from "../events/record.ts"
import { isUniqueViolation, mapDatabaseErrors, withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { CredentialCipher } from "./CredentialCipher.ts"
import { credentialsCell } from "./credentialStore.ts"
import { makeFormerAccess } from "./formerAccess.ts"
import type { Integrations, NewIntegration } from "./Integrations.ts"
import { makeMovePosts } from "./movePosts.ts"
import { FormerAccountRow, IntegrationRow, integrationColumns } from "./rows.ts"
import { makeWaitingPosts } from "./waitingPosts.ts"

export const makeConnect = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cipher = yield* CredentialCipher
  const formerAccess = yield* makeFormerAccess
  const waitingPosts = yield* makeWaitingPosts
  const movePosts = yield* makeMovePosts
  const record = yield* makeRecord
  const columns = integrationColumns(sql)

  /** Every change of an account or its credentials waits for this lock. Creating a post does not. */
  const lockByPlatform = SqlSchema.findOneOption({
    Request: Schema.Struct({ workspaceId: WorkspaceId, platform: LivePlatform }),
    Result: FormerAccountRow,
    execute: ({ platform, workspaceId }) => sql`
      SELECT id, platform, account_id AS "accountId", username, service_url AS "serviceUrl", credentials
      FROM integrations WHERE workspace_id = ${workspaceId}::uuid AND platform = ${platform} FOR NO KEY UPDATE`
  })

  /** Creating a post waits for this lock, so that it reads the new account. */
  const lockOutCreation = (id: IntegrationId) => sql`SELECT FROM integrations WHERE id = ${id}::uuid FOR UPDATE`

  const upsert = SqlSchema.findOne({
    Request: Schema.Struct({
      id: IntegrationId,
      workspaceId: WorkspaceId,
      platform: LivePlatform,
      accountId: Schema.String,
      username: Schema.String,
      displayName: Schema.NullOr(Schema.String),
      avatarUrl: Schema.NullOr(Schema.String),
      serviceUrl: Schema.NullOr(Schema.String),
      host: Schema.NullOr(Schema.String),
      sealed: Schema.Uint8Array,
      accessUntil: Schema.NullOr(Timestamp),
      now: Timestamp
    }),
    Result: IntegrationRow,
    execute: (account) => sql`
      INSERT INTO integrations (id, workspace_id, platform, account_id, username, display_name, avatar_url, service_url,
        host, status, credentials, access_until, created_at, updated_at, profile_at)
      SELECT ${account.id}::uuid, w.id, ${account.platform}, ${account.accountId}, ${account.username},
        ${account.displayName}::text, ${account.avatarUrl}::text, ${account.serviceUrl}::text, ${account.host}::text,
        'connected', ${account.sealed}::bytea, ${account.accessUntil}::timestamptz, ${account.now}::timestamptz,
        ${account.now}::timestamptz,
        ${account.now}::timestamptz
      FROM workspaces w WHERE w.id = ${account.workspaceId}::uuid
      ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, username = excluded.username,
        display_name = excluded.display_name, avatar_url = excluded.avatar_url, service_url = excluded.service_url,
        host = excluded.host, status = excluded.status, credentials = excluded.credentials,
        updated_at = excluded.updated_at, profile_at = excluded.profile_at,
        access_until = excluded.access_until, renewal_token = NULL, renewal_until = NULL
      RETURNING ${columns}`
  })

  const store = Effect.fnUntraced(function* (workspaceId: WorkspaceId, id: IntegrationId, account: NewIntegration) {
    const now = yield* DateTime.now
    const sealed = yield* cipher.seal(credentialsCell(id), account.credentials)
    const nullable = { host: account.host ?? null, accessUntil: account.accessUntil ?? null }
    const stored = yield* upsert({ ...account, ...nullable, id, workspaceId, sealed, now }).pipe(
      Effect.catchTag("NoSuchElementError", () => new NotFound({ message: `There is no workspace ${workspaceId}` }))
    )
    const data = { integration_id: id, platform: account.platform, status: "connected" } as const
    yield* record({ events: [{ workspaceId, event: { type: "integration.connected", data } }], notifications: [] })
    return stored
  })

  /** If another account is connected, `onAnother` decides with the integration locked. */
  const storeUnlessAnother = <A, E, R>(
    workspaceId: WorkspaceId,
    account: NewIntegration,
    onAnother: (known: FormerAccountRow) => Effect.Effect<A, E, R>
  ) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          const known = Option.getOrUndefined(yield* lockByPlatform({ workspaceId, platform: account.platform }))
          if (known !== undefined && known.accountId !== account.accountId) {
            return { _tag: "Another" as const, result: yield* onAnother(known) }
          }
          const id = known === undefined ? yield* nextIntegrationId : known.id
          return { _tag: "Connected" as const, integration: yield* store(workspaceId, id, account) }
        })
      )
      // If two first connections run together, the second retries and finds the first one's row.
      .pipe(Effect.retry({ times: 1, while: isUniqueViolation }))

  const another = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    known: FormerAccountRow,
    { accountId, platform, username }: NewIntegration
  ) {
    const move = { workspaceId, integrationId: known.id, platform, from: known.accountId, to: accountId }
    return new AnotherAccountConnected({
      platform,
      current: { accountId: known.accountId, username: known.username },
      next: { accountId, username },
      waiting: yield* waitingPosts.count(move)
    })
  })

  const connect: Integrations["connect"] = Effect.fn("Repo.integrations.connect")((workspaceId, account) =>
    Effect.gen(function* () {
      const outcome = yield* storeUnlessAnother(workspaceId, account, Effect.succeed)
      return outcome._tag === "Connected"
        ? outcome.integration
        : yield* yield* another(workspaceId, outcome.result, account)
    }).pipe(withDatabaseTimeout("connecting an account"))
  )

  const replaceAccount: Integrations["replaceAccount"] = Effect.fn("Repo.integrations.replaceAccount")(
    (workspaceId, account, { posts, replaces }) =>
      Effect.gen(function* () {
        const { accountId, platform } = account
        const outcome = yield* storeUnlessAnother(workspaceId, account, (known) =>
          Effect.gen(function* () {
            if (replaces !== undefined && replaces !== known.accountId) {
              return yield* yield* another(workspaceId, known, account)
            }
            const move = { workspaceId, integrationId: known.id, platform, from: known.accountId, to: accountId }
            const pending = new OutcomePending({ platform, username: known.username })
            if (yield* waitingPosts.isOutcomePending(move)) return yield* pending
            const moving = movePosts({ ...move, posts, username: account.username }, pending)
            const failed = yield* moving
            // Creating a post does not wait for the move above. Posts created since are moved here, while creation
            // waits briefly.
            yield* lockOutCreation(known.id)
            failed.push(...(yield* moving))
            const integration = yield* store(workspaceId, known.id, account)
            return { integration, former: yield* formerAccess(known), failed, unchanged: null }
          })
        )
        if (outcome._tag === "Another") return outcome.result
        const { integration } = outcome
        const own = { workspaceId, integrationId: integration.id, platform, accountId }
        return { integration, former: null, failed: [], unchanged: yield* waitingPosts.countOwn(own) }
      }).pipe(mapDatabaseErrors("replacing an account"))
  )

  return { connect, replaceAccount } satisfies Pick<Integrations, "connect" | "replaceAccount">
})
