import { NodeFileSystem } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Redacted } from "effect"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"
import { runService } from "../support/process/service.ts"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")

describe("A service with another encryption key than its accounts", () => {
  it.live("It serves its API, is not ready, and is ready once the accounts' credentials are forgotten", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const database = Redacted.value(yield* freshDatabase)
      const port = yield* Effect.promise(freePort)
      const url = `http://127.0.0.1:${port}`
      const envWith = Effect.fnUntraced(function* (byte: number) {
        const dataDir = yield* files.makeTempDirectoryScoped()
        return { DATA_DIR: dataDir, DATABASE_URL: database, ENCRYPTION_KEY: keyOf(byte), PORT: String(port) }
      })
      const ready = Effect.promise(async () => {
        const response = await fetch(`${url}/readyz`)
        return { status: response.status, text: await response.text() }
      })

      const right = yield* envWith(1)
      yield* Effect.scoped(
        Effect.andThen(
          runService(right),
          Effect.map(ready, ({ status }) => assert.strictEqual(status, 200))
        )
      )

      const wrong = yield* envWith(2)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* runService(wrong)
          const { status, text } = yield* ready
          assert.strictEqual(status, 503)
          assert.include(text, "credentials: no key of ENCRYPTION_KEY decrypts the credentials of any account")
          assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/v1/posts`))).status, 401)

          const [workspace] = JSON.parse((yield* runCommand(["workspace", "list", "--json"], wrong)).output)
          const list = yield* runCommand(["integration", "list", "--workspace", workspace.id, "--json"], wrong)
          const accounts: ReadonlyArray<{ readonly credentials: string }> = JSON.parse(list.output)
          assert.deepStrictEqual(
            accounts.map(({ credentials }) => credentials),
            ["unreadable", "unreadable"]
          )
          const forgotten = yield* runCommand(["integration", "forget-credentials", "--json"], wrong)
          assert.deepStrictEqual(JSON.parse(forgotten.output), { forgotten: 2 })
        })
      )
      yield* Effect.scoped(
        Effect.andThen(
          runService(wrong),
          Effect.map(ready, ({ status }) => assert.strictEqual(status, 200))
        )
      )
    }).pipe(Effect.provide(NodeFileSystem.layer))
  )
})
