import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "effect/sql"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { restartableDatabase } from "../chaos/support/database.ts"
import { runCommand } from "../support/process/commands.ts"

const readme = new URL("../../.deploy/README.md", import.meta.url)

/** The statements of the block of .deploy/README.md that has the given words. */
const statementsFrom = async (start: string) => {
  const text = await readFile(readme, "utf8")
  const block = [...text.matchAll(/```sql\n([^`]+)```/g)].map(([, sql = ""]) => sql).find((sql) => sql.includes(start))
  return (block ?? "")
    .split("\n")
    .filter((line) => !line.startsWith("--"))
    .join("\n")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")
}

const query = (url: URL, statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url.href), maxConnections: 1 }))
  )

/** What an error says, and its causes. */
const describeCauses = (error: unknown): string =>
  error instanceof Error ? `${error.message}\n${describeCauses(error.cause)}` : ""

describe("the roles of .deploy/README.md", () => {
  it.live("The service's role can do all that it needs behind a pooler too, and no other role can connect", () =>
    Effect.gen(function* () {
      const dataDir = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(path.join(tmpdir(), "roles "))),
        (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
      )
      const { asSuperuser, url } = yield* restartableDatabase({ dataDir })
      const statements = yield* Effect.promise(() => statementsFrom("CREATE ROLE publisher"))
      assert.isAtLeast(statements.length, 6)
      for (const statement of statements) yield* asSuperuser(statement)
      yield* asSuperuser("CREATE ROLE stranger LOGIN PASSWORD 'SECRET'")

      const as = (role: string) => {
        const target = new URL(Redacted.value(url))
        target.username = role
        target.password = "SECRET"
        target.pathname = "/publisher"
        return target
      }
      const env = {
        DATABASE_URL: as("publisher").href,
        DATABASE_DIRECT_URL: as("publisher").href,
        ENCRYPTION_KEY: Buffer.alloc(32, 1).toString("base64")
      }
      const migrated = yield* runCommand(["migrate"], env)
      assert.deepStrictEqual([migrated.code, migrated.errors], [0, ""])
      assert.strictEqual((yield* runCommand(["workspace", "create", "A team"], env)).code, 0)
      const refused = yield* Effect.flip(query(as("stranger"), "SELECT 1"))
      assert.include(describeCauses(refused), 'permission denied for database "publisher"')
      const copied = yield* Effect.flip(query(as("publisher"), "COPY posts TO PROGRAM 'true'"))
      assert.include(describeCauses(copied), "permission denied")
    })
  )
})
