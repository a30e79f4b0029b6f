import { Effect, Redacted } from "effect"
import { runCampaignScript } from "./support/campaign.ts"
import { restartableDatabase } from "./support/database.ts"
import { injectOutages, makeOutageRecord, outageRows } from "./support/outages.ts"
import { pooler } from "./support/pooler.ts"

/** The settings that .deploy/README.md names for a role behind a pooler. */
const limits = ["statement_timeout = '5s'", "lock_timeout = '4s'", "idle_in_transaction_session_timeout = '30s'"]

/**
 * Fault injection: three replicas publish through PgBouncer in transaction mode while PgBouncer is killed, restarted
 * and frozen, and PostgreSQL restarts behind it.
 */
runCampaignScript("PgBouncer in transaction mode", { posts: 1000, seed: "1", pace: 10 }, (directory) =>
  Effect.gen(function* () {
    const { asSuperuser, start, stop, url } = yield* restartableDatabase({ dataDir: directory })
    const role = decodeURIComponent(new URL(Redacted.value(url)).username)
    for (const limit of limits) yield* asSuperuser(`ALTER ROLE "${role}" SET ${limit}`)
    const bouncer = yield* pooler(directory, url)
    const record = makeOutageRecord()
    return {
      databaseUrl: url,
      replicas: 3,
      env: () => ({ DATABASE_URL: Redacted.value(bouncer.url), DATABASE_DIRECT_URL: Redacted.value(url) }),
      faultRate: 0.02,
      postsPerSecond: 10,
      dueWindow: 20_000,
      injectFaults: (world, log) =>
        injectOutages(
          world,
          [
            { name: "restarts of the pooler", begin: bouncer.kill, duration: [0, 1], end: bouncer.start },
            { name: "freezes of the pooler", begin: bouncer.freeze, duration: [500, 4_000], end: bouncer.resume },
            { name: "outages of the pooler", begin: bouncer.kill, duration: [5_000, 10_000], end: bouncer.start },
            { name: "restarts of the database", begin: stop("fast"), duration: [0, 1], end: start }
          ],
          record,
          log
        ),
      extraRows: () => outageRows(record),
      extraFailures: () => record.wrongResponses
    }
  })
)
