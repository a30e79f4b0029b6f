import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readdirSync } from "node:fs"
import { indexes } from "../../src/repo/postgres/indexes.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { emptyDatabase, freshDatabase, repoOf } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"

const oldKey = Buffer.alloc(32, 7)
const newKey = Buffer.alloc(32, 8)

/** The environment of the commands on a database. */
const environment = (url: Redacted.Redacted) => ({
  DATABASE_URL: Redacted.value(url),
  ENCRYPTION_KEY: [newKey, oldKey].map((key) => key.toString("base64")).join()
})

/** The environment of a database with accounts under the old key, each of which takes some seconds to be written. */
const slowAccounts = Effect.fn("slowAccounts")(function* (accounts: number, seconds: number) {
  const url = yield* freshDatabase
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.forEach(Array.from({ length: accounts }), () => makeWorkspace(["twitter"]))
    yield* sql`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
      ${sql.literal(`$$ BEGIN PERFORM pg_sleep(${seconds}); RETURN new; END $$`)}`
    yield* sql`CREATE TRIGGER waiting BEFORE UPDATE ON integrations FOR EACH ROW EXECUTE FUNCTION wait()`
  }).pipe(Effect.provide(repoOf(url)))
  return environment(url)
})

describe("integration reencrypt", () => {
  it.live("Many accounts take as long as they take, and a line every five seconds says how long", () =>
    Effect.gen(function* () {
      const env = yield* slowAccounts(2, 3)
      const { code, errors, output } = yield* runCommand(["integration", "reencrypt"], env)
      assert.match(errors, /^(Re-encrypting: \d+% of 2 credentials(, \d+ s left)?\n)+$/)
      assert.deepStrictEqual([code, output], [0, "reencrypted  2\n"])
    })
  )

  it.live("Credentials that no key decrypts are named at the end, and the others are encrypted", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const id = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* makeWorkspace(["twitter"])
        const lost = yield* makeWorkspace(["twitter"])
        yield* sql`UPDATE integrations SET credentials = set_byte(credentials, 1, 255 - get_byte(credentials, 1))
          WHERE workspace_id = ${lost}::uuid`
        return (yield* (yield* Repo).integrations.list(lost))[0]?.id ?? ""
      }).pipe(Effect.provide(repoOf(url)))
      const { code, errors, output } = yield* runCommand(["integration", "reencrypt", "--json"], environment(url))
      assert.deepStrictEqual(JSON.parse(output), { reencrypted: 1, integrations: [id], webhooks: [], channels: [] })
      assert.strictEqual(code, 1)
      assert.include(errors, id)
    })
  )

  it.live("A run that is interrupted on a terminal leaves a clear line", () =>
    Effect.gen(function* () {
      const env = yield* slowAccounts(2, 1.5)
      let screen = ""
      const isShown = yield* Deferred.make<void>()
      const services = yield* Effect.context()
      const write = (text: string) => {
        screen += text
        Effect.runForkWith(services)(Deferred.succeed(isShown, undefined))
      }
      const run = yield* Effect.forkChild(runCommand(["integration", "reencrypt"], env, "", write))
      yield* Deferred.await(isShown)
      yield* Fiber.interrupt(run)
      const [beginning, first, ...others] = screen.split("\r\u001B[2K")
      assert.strictEqual(beginning, "")
      assert.match(first ?? "", /^Re-encrypting \[\.+\] 0% of 2 credentials$/)
      assert.strictEqual(others.at(-1), "")
    })
  )
})

describe("migrate", () => {
  it.live("The command says how many migrations it has applied and how many indexes it has built", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase
      const env = environment(url)
      const migrate = (...args: ReadonlyArray<string>) => runCommand(["migrate", ...args], env)
      const first = yield* migrate()
      assert.deepStrictEqual([first.code, first.errors], [0, ""])
      const { length } = readdirSync(new URL("../../migrations", import.meta.url))
      assert.strictEqual(first.output, `${length} migrations applied, ${indexes.length} indexes built\n`)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DROP INDEX posts_by_tag`).pipe(
        Effect.provide(databaseLayer(url))
      )
      assert.strictEqual((yield* migrate()).output, "0 migrations applied, 1 index built\n")
      const again = yield* migrate("--json")
      assert.deepStrictEqual(JSON.parse(again.output), { migrated: true, migrations: 0, indexes: 0 })
      assert.strictEqual(again.errors, "")
    })
  )
})
