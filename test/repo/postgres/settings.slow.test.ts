import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"
import { DatabaseSettings } from "../../../src/repo/postgres/settings.ts"
import { restartableDatabase } from "../../chaos/support/database.ts"
import { startError } from "../../support/process/commands.ts"

describe("a server with settings of its own", () => {
  it.live("Its weak settings are found, and a role that fires no triggers can't start the service", () =>
    Effect.gen(function* () {
      const dataDir = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped({ prefix: "settings-" })
      const { asSuperuser, start, stop, url } = yield* restartableDatabase({ dataDir })
      /** The weakened settings that a newly connected process sees. */
      const weakened = Effect.flatMap(DatabaseSettings, (settings) => settings.weakened).pipe(
        Effect.provide(Layer.provide(DatabaseSettings.layer, databaseLayer(url)), { local: true })
      )
      assert.deepStrictEqual(yield* weakened, [])
      for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
        yield* asSuperuser(`ALTER SYSTEM SET ${setting} = off`)
      }
      yield* Effect.andThen(stop("fast"), start)
      assert.deepStrictEqual(yield* weakened, ["fsync", "full_page_writes"])

      const user = new URL(Redacted.value(url)).username
      yield* asSuperuser(`ALTER ROLE "${user}" SET session_replication_role = replica`)
      const message = yield* startError({
        DATABASE_URL: Redacted.value(url),
        ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64")
      })
      assert.match(message, /^DATABASE_URL: session_replication_role is 'replica'/)
      // The session can't set it; it disables foreign keys and triggers.
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE parents (id int PRIMARY KEY)`
        yield* sql`CREATE TABLE children (parent int REFERENCES parents)`
        yield* sql`INSERT INTO children VALUES (1)`
        const refused = yield* Effect.flip(sql`SET session_replication_role = origin`)
        assert.strictEqual(refused.reason._tag, "AuthorizationError")
      }).pipe(Effect.provide(databaseLayer(url), { local: true }))
    }).pipe(Effect.scoped, Effect.provide(NodeFileSystem.layer))
  )
})
