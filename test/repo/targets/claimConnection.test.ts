import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { ClaimClient } from "../../../src/repo/postgres/database.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { lease } from "../../support/database/duePosts.ts"
import { insertAccounts, insertPosts } from "../../support/database/manyAccounts.ts"
import { freshDatabase, repoOf } from "../../support/database/testDatabase.ts"

it.live(
  "If PostgreSQL ends the connection for claims and accepts no other one, claims use an ordinary connection",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const name = new URL(Redacted.value(url)).pathname.slice(1)
      const others = new URL(Redacted.value(url))
      others.pathname = "/postgres"
      const admin = yield* PgClient.make({ url: Redacted.make(others.href), maxConnections: 1 }).pipe(
        Effect.provide(Reactivity.layer)
      )
      const outage = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const claims = yield* ClaimClient
        const { targets } = yield* Repo
        yield* insertAccounts(3)
        yield* insertPosts([1, 3], 2, "-2 seconds")
        assert.lengthOf(yield* targets.claim(1, lease), 1)
        const [own] = yield* claims<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
        yield* sql`SELECT 1`
        yield* admin.unsafe(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS false`)
        yield* admin`SELECT pg_terminate_backend(${own?.pid ?? 0}, 5000)`
        // The first claim finds out that its connection was ended.
        assert.lengthOf(yield* Effect.retry(targets.claim(1, lease), { times: 1 }), 1)
        yield* admin.unsafe(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS true`)
        assert.lengthOf(yield* targets.claim(10, lease), 1)
      })
      yield* Effect.provide(outage, repoOf(url))
    }).pipe(Effect.scoped)
)
