import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { makeDuePosts } from "../support/database/duePosts.ts"
import { freshDatabase, repoOf } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"

const encryptionKey = Buffer.alloc(32, 7).toString("base64")

const cliOf =
  (url: Redacted.Redacted) =>
  (...args: ReadonlyArray<string>) =>
    runCommand(args, { DATABASE_URL: Redacted.value(url), ENCRYPTION_KEY: encryptionKey })

/** The commands on a database of their own. */
const makeCli = Effect.map(freshDatabase, cliOf)

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "backups-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const list = (directory: string) => Effect.promise(() => readdir(directory))

describe("The commands for backups", () => {
  it.live(
    "A backup replaces the file when it is complete, and is restored; publishing is held until it is resumed",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const file = path.join(directory, "posts.backup")
        yield* Effect.promise(() => writeFile(file, "an earlier one"))
        const source = yield* makeCli
        const target = yield* makeCli
        yield* source("workspace", "create", "A team")
        const backup = yield* source("backup", file, "--json")
        assert.deepInclude(JSON.parse(backup.output), { file, rows: 1 })
        assert.match(backup.errors, /^The backup does not contain the encryption key\. /)
        assert.strictEqual((yield* Effect.promise(() => stat(file))).mode & 0o777, 0o600)
        assert.deepStrictEqual(yield* list(directory), ["posts.backup"])

        const restored = yield* target("restore", file, "--json")
        assert.deepInclude(JSON.parse(restored.output), { rows: 1, open_targets: 0, publishing: "held" })
        assert.match(restored.errors, /Publishing is on hold: [^]*API keys that were revoked since are valid again/)
        const [again, considered] = yield* Effect.all([target("restore", file), target("resume", "--dry-run")], {
          concurrency: 2
        })
        assert.deepStrictEqual(
          [again.code, again.errors],
          [1, "The database has workspaces already; restore into an empty one, or set another DATA_DIR\n"]
        )
        assert.match(considered.output, /\nPublishing is still on hold\.\n$/)
        assert.match(
          (yield* target("resume")).output,
          /Edits and deletions since .* are lost\.\n[^]*Publishing continues\.\n$/
        )
        assert.strictEqual((yield* target("resume")).output, "Publishing is not on hold; there is nothing to do\n")
      })
  )

  it.live("A file of one endless line is refused as no backup, within a bound of memory", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "endless.backup")
      const zip = createGzip({ level: 1 })
      const written = pipeline(zip, createWriteStream(file))
      const part = Buffer.alloc(1024 * 1024, "[")
      yield* Effect.promise(async () => {
        for (let count = 0; count < 600; count++) if (!zip.write(part)) await once(zip, "drain")
        zip.end()
        await written
      })
      const target = yield* makeCli
      const { code, errors } = yield* target("restore", file)
      // Progress is shown after some seconds, which reading may take on a busy machine.
      const lines = errors.split("\n").filter((said) => !said.startsWith("Restoring: "))
      assert.deepStrictEqual([code, lines], [1, ["This is not a backup of this service, or it is damaged", ""]])
    })
  )

  it.live("A database that is marked as restored twice says the time that counts, which is the earlier one", () =>
    Effect.gen(function* () {
      const cli = yield* makeCli
      const earlier = "2026-01-01T00:00:00.000Z"
      yield* cli("mark-restored", "--taken-at", earlier)
      const again = yield* cli("mark-restored", "--taken-at", "2026-01-02T00:00:00Z", "--json")
      assert.deepInclude(JSON.parse(again.output), { taken_at: earlier, publishing: "held" })
      assert.include(again.errors, `what went out since ${earlier}`)
    })
  )

  it.live("What goes out after a restore is counted in sentences", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.provide(makeDuePosts(1, 1), repoOf(url))
      const cli = cliOf(url)
      yield* cli("mark-restored", "--taken-at", "2026-01-01T00:00:00Z")
      const { output } = yield* cli("resume", "--dry-run")
      assert.match(
        output,
        /^1 target was due before the restore: .*\n0 targets have fallen due since: .*\n0 targets are /
      )
      assert.match((yield* cli("resume", "--as-drafts")).output, /^1 scheduled post is a draft now\.\n/)
    })
  )

  it.live("A backup that can't be written or read, or is of the future, is one line, and leaves no file behind", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const cli = yield* makeCli
      // That a directory can't be replaced by a file shows at the end only.
      const taken = path.join(directory, "taken")
      yield* Effect.promise(() => mkdir(path.join(taken, "kept"), { recursive: true }))
      const results = yield* Effect.all(
        [
          cli("backup", taken),
          cli("backup", path.join(directory, "missing", "file")),
          cli("restore", path.join(directory, "none")),
          cli("mark-restored", "--taken-at", "2999-01-01T00:00:00Z")
        ],
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        results.map(({ code }) => code),
        [1, 1, 1, 1]
      )
      const [replacing, nowhere, missing, future] = results.map(({ errors }) => errors)
      assert.match(replacing ?? "", /\/taken can't be written: [^\n]+\n$/)
      assert.match(nowhere ?? "", /\/missing\/file can't be written: ENOENT: [^\n]+\n$/)
      assert.match(missing ?? "", /\/none can't be read: ENOENT: [^\n]+\n$/)
      assert.strictEqual(future, "The time at which the backup was taken is in the future\n")
      assert.deepStrictEqual(yield* list(directory), ["taken"])
    })
  )
})
