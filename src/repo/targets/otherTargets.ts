import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Claim, type Targets } from "./Targets.ts"

const { accountId, platform, targetId } = Claim.fields

/** What is known of an account's other targets, whichever workspaces connected the account. */
export const makeOtherTargets = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const findPublished = SqlSchema.findAll({
    Request: Schema.Struct({ accountId, platform, targetId, platformPostIds: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: (request) => sql`
      SELECT t.platform_post_id AS id FROM integrations i
      JOIN post_targets t ON t.integration_id = i.id AND t.platform = i.platform
      WHERE i.platform = ${request.platform} AND i.account_id = ${request.accountId}
        AND t.platform_post_id = ANY(${request.platformPostIds}::text[]) AND t.id <> ${request.targetId}::uuid`
  })

  const countUnresolved = SqlSchema.findOne({
    Request: Schema.Struct({ accountId, platform, targetId, text: Schema.String }),
    Result: Schema.Struct({ count: Schema.Int }),
    execute: (request) => sql`
      SELECT count(*)::int AS count FROM integrations i
      JOIN post_targets t ON t.integration_id = i.id
      WHERE i.platform = ${request.platform} AND i.account_id = ${request.accountId}
        AND t.sent_at IS NOT NULL AND t.status <> 'published'
        AND t.prepared ->> 'text' = ${request.text} AND t.id <> ${request.targetId}::uuid`
  })

  const publishedByOthers: Targets["publishedByOthers"] = Effect.fn("Repo.targets.publishedByOthers")(
    (claim, platformPostIds) =>
      findPublished({ ...claim, platformPostIds }).pipe(
        Effect.map((rows) => new Set(rows.map(({ id }) => id))),
        withDatabaseTimeout("finding the published posts of other targets")
      )
  )

  const unresolvedOthers: Targets["unresolvedOthers"] = Effect.fn("Repo.targets.unresolvedOthers")((claim, text) =>
    countUnresolved({ ...claim, text }).pipe(
      Effect.map(({ count }) => count),
      Effect.catchTag("NoSuchElementError", Effect.die),
      withDatabaseTimeout("counting unresolved targets")
    )
  )

  return { publishedByOthers, unresolvedOthers } satisfies Pick<Targets, "publishedByOthers" | "unresolvedOthers">
})
