import { Effect, Redacted } from "effect"
import { Scope } from "../../../src/domain/people/apiKey.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { encodeTokens } from "../../../src/platforms/twitter/tokens.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../chaos/support/world.ts"
import { type Database, databaseConnections, runSql } from "./database.ts"
import { progress } from "./progress.ts"

const connections = 8

/** Creates workspaces with an API key and an account on each platform, and returns the keys by workspace. */
export const makeTeams = Effect.fn("makeTeams")(function* (
  database: Database,
  count: number,
  platforms: ReadonlyArray<LivePlatform>
) {
  const makeTeam = Effect.fnUntraced(function* (number: number) {
    const { apiKeys, integrations, workspaces } = yield* Repo
    const { id } = yield* workspaces.create(`Team ${number}`)
    for (const platform of platforms) {
      yield* integrations.connect(id, {
        platform,
        accountId: `${platform}-${number}`,
        username: `team${number}`,
        displayName: null,
        avatarUrl: null,
        serviceUrl: null,
        credentials: encodeTokens({ accessToken: `token-${number}`, refreshToken: null })
      })
    }
    const newKey = { workspaceId: id, name: "Benchmark", requiresApproval: false, expiresIn: null }
    const { key } = yield* apiKeys.create({ ...newKey, scopes: Scope.literals })
    return { workspaceId: id, key: Redacted.value(key) }
  })
  yield* progress(`creating ${count} workspaces`)
  return yield* Effect.forEach(
    Array.from({ length: count }, (_, index) => index + 1),
    makeTeam,
    { concurrency: connections }
  ).pipe(Effect.provide(repoLayer(database.url)))
})

/** The number of posts that one statement inserts. */
const batch = 100_000

/**
 * Inserts published posts for the workspaces in turn, with a target for each account. Every post whose number is
 * divisible by `every` belongs to the first workspace.
 */
export const insertPublished = Effect.fn("insertPublished")(function* (database: Database, count: number, every = 0) {
  const insertFrom = Effect.fnUntraced(function* (inserted: number) {
    yield* progress(`inserting posts: ${inserted} of ${count}`)
    yield* insertBatch(database, Math.min(batch, count - inserted), every)
  })
  const starts = Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch)
  yield* Effect.forEach(starts, insertFrom, { concurrency: databaseConnections, discard: true })
  yield* runSql(database, "VACUUM ANALYZE")
})

const insertBatch = (database: Database, count: number, every: number) =>
  runSql(
    database,
    `WITH teams AS (
      SELECT row_number() OVER () - 1 AS n, count(*) OVER () AS teams, w.id,
        (SELECT k.id FROM api_keys k WHERE k.workspace_id = w.id LIMIT 1) AS key_id FROM workspaces w
    ), added AS (
      INSERT INTO posts (id, workspace_id, status, content, scheduled_at, published_at, tags, platform_overrides,
        platform_settings, created_at, created_by_key)
      SELECT uuidv7(), teams.id, 'published', 'Post ' || g || ': ' || repeat('what is new in our latest release, ', 3),
        t.at, t.at, '{release,update}', '{}', '{}', t.at - interval '1 hour', teams.key_id
      FROM generate_series(1, ${count}) g JOIN teams
        ON teams.n = CASE WHEN g % nullif(${every}, 0) = 0 THEN 0 ELSE coalesce(g / nullif(${every}, 0), g) % teams.teams END
      CROSS JOIN LATERAL (SELECT now() - (${count} - g) * interval '1 second' AS at) t
      RETURNING id, workspace_id, published_at
    )
    INSERT INTO post_targets (id, workspace_id, post_id, integration_id, account_id, platform, position, status,
      attempts, sent_at, prepared, platform_post_id, platform_post_url, published_at)
    SELECT uuidv7(), i.workspace_id, added.id, i.id, i.account_id, i.platform,
      row_number() OVER (PARTITION BY added.id), 'published', 1, added.published_at, '{}', added.id::text,
      'https://x.com/' || i.username || '/status/' || added.id, added.published_at
    FROM added JOIN integrations i ON i.workspace_id = added.workspace_id`
  )
