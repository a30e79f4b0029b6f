import "effect/schema/SchemaJITCompiler/enable"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Console, Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { performance } from "node:perf_hooks"
import { CredentialCipher } from "../../src/repo/integrations/CredentialCipher.ts"
import { buildIndexes } from "../../src/repo/postgres/buildIndexes.ts"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { embeddedPostgres } from "../../src/embeddedPostgres/embeddedPostgres.ts"
import { indexes } from "../../src/repo/postgres/indexes.ts"
import { migrate } from "../../src/repo/postgres/migrations.ts"
import { Repo } from "../../src/repo/Repo.ts"

/**
 * Measures a claim of 100 due targets of many accounts while more and more is stored that must not slow it down: `node
 * test/bench/claim.ts [PUBLISHED] [ACCOUNTS]`. Prints each time as a multiple of the first. Schemas are compiled, as in
 * the service.
 */
const published = Number(process.argv[2] ?? 100_000)
const accounts = Number(process.argv[3] ?? 20_000)
const due = 2_000
const rounds = 15
/** V8 compiles the code after some executions. */
const warmUp = 20

const insertAccounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`
    INSERT INTO workspaces SELECT gen_random_uuid(), 'w', now() FROM generate_series(1, ${accounts})`)
  yield* sql.unsafe(`
    INSERT INTO integrations (id, workspace_id, platform, account_id, username, status, credentials, created_at, updated_at)
    SELECT gen_random_uuid(), id, 'twitter', 'a', 'u', 'connected', 'x', now(), now() FROM workspaces`)
  yield* sql.unsafe(`
    CREATE TABLE accounts AS SELECT row_number() OVER () AS n, workspace_id, id FROM integrations`)
})

/** Few enough to finish within the statement timeout. */
const postsPerStatement = 10_000

/** Inserts posts with one target each, for all accounts in turn or only for the first account. */
const insertPosts = Effect.fn("insertPosts")(function* (
  count: number,
  status: string,
  due: string,
  onFirstAccount = false
) {
  const sql = yield* SqlClient.SqlClient
  for (let from = 1; from <= count; from += postsPerStatement)
    yield* sql.unsafe(`
      WITH new_posts AS (
        SELECT uuidv7() AS id, workspace_id, accounts.id AS integration_id, ${due} AS due
        FROM generate_series(${from}, ${Math.min(from + postsPerStatement - 1, count)}) g
        JOIN accounts ON accounts.n = ${onFirstAccount ? "1" : `1 + g % ${accounts}`}
      ), posts AS (
        INSERT INTO posts (id, workspace_id, status, content, scheduled_at, published_at, tags, platform_overrides, platform_settings, created_at)
        SELECT id, workspace_id, '${status}', 'x', due, CASE WHEN '${status}' = 'published' THEN due END, '{}', '{}', '{}', due FROM new_posts
      )
      INSERT INTO post_targets (id, workspace_id, post_id, integration_id, platform, position, status, due_since, due_at, published_at)
      SELECT uuidv7(), workspace_id, id, integration_id, 'twitter', 1,
        CASE WHEN '${status}' = 'published' THEN 'published' ELSE 'pending' END,
        CASE WHEN '${status}' <> 'published' THEN due END, CASE WHEN '${status}' <> 'published' THEN due END,
        CASE WHEN '${status}' = 'published' THEN due END FROM new_posts`)
})

let first: number | undefined

const measure = (title: string) =>
  Effect.gen(function* () {
    const { processes, targets } = yield* Repo
    const owner = { ...(yield* processes.renew(null, Duration.minutes(3))), takesOver: true }
    const sql = yield* SqlClient.SqlClient
    yield* sql.unsafe("VACUUM ANALYZE")
    const times: Array<number> = []
    let claimed = 0
    for (let round = -warmUp; round < rounds; round++) {
      const start = performance.now()
      const claims = yield* targets.claim(100, Duration.minutes(3), { owner })
      const time = performance.now() - start
      if (round >= 0) {
        times.push(time)
        claimed += claims.length
      }
      yield* Effect.forEach(claims, targets.release, { discard: true })
    }
    times.sort((left, right) => left - right)
    const median = times[Math.floor(rounds / 2)] ?? 0
    first ??= median
    yield* Console.log(
      `${title}: ${median.toFixed(2)} ms for ${claimed / rounds}, ${(median / first).toFixed(2)} times the first ` +
        `(fastest ${(times[0] ?? 0).toFixed(2)} ms)`
    )
  })

const program = Effect.gen(function* () {
  yield* insertAccounts
  yield* insertPosts(due, "scheduled", "now() - interval '1 second'")
  yield* measure(`${due} due, ${accounts} accounts`)
  yield* insertPosts(accounts * 2, "scheduled", "now() + interval '30 days'")
  yield* measure("future posts on all accounts")
  yield* insertPosts(published, "published", "now() - interval '1 day'")
  yield* measure(`${published} published`)
  yield* insertPosts(10_000, "scheduled", "now() - g * interval '1 second'", true)
  yield* measure("a backlog of 10,000 on one account")
})

const dataDir = await mkdtemp(path.join(tmpdir(), "bench-"))
await Effect.runPromise(
  Effect.gen(function* () {
    const { url } = yield* embeddedPostgres({ dataDir, durable: false })
    const cipher = CredentialCipher.layer([Redacted.make(new Uint8Array(32))])
    yield* migrate.pipe(
      Effect.andThen(buildIndexes(indexes)),
      Effect.andThen(program),
      Effect.provide(
        Repo.layer.pipe(
          Layer.provide([cipher.pipe(Layer.provide(NodeCrypto.layer)), NodeCrypto.layer]),
          Layer.provideMerge(databaseLayer(url))
        )
      )
    )
  }).pipe(Effect.scoped)
)
await rm(dataDir, { recursive: true, force: true })
