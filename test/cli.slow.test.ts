import { assert, layer } from "@effect/vitest"
import { Effect, Option, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { WorkspaceId } from "../src/domain/ids.ts"
import { Repo } from "../src/repo/Repo.ts"
import { repoLayer } from "./support/database/testDatabase.ts"
import { makeWorkspace } from "./support/database/fixtures.ts"
import { runCommand } from "./support/process/commands.ts"
import { runProgram } from "./support/process/program.ts"
import { makeKey } from "./support/http/team.ts"

const encryptionKey = Buffer.alloc(32, 7).toString("base64")

/** The environment of a command on the test's database. */
const environment = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
  const url = new URL(inject("templateUrl"))
  url.pathname = `/${row?.name}`
  return { DATABASE_URL: url.href, ENCRYPTION_KEY: encryptionKey }
})

const cli = (args: ReadonlyArray<string>, input?: string) =>
  Effect.flatMap(environment, (env) => runCommand(args, env, input))

/** Runs a command as a process. */
const cliProcess = (args: ReadonlyArray<string>, input?: string) =>
  Effect.flatMap(environment, (env) => Effect.promise(() => runProgram("src/cli.ts", args, env, input).ended))

const Printed = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const printed = Schema.decodeUnknownEffect(Printed)

layer(repoLayer)("src/cli.ts", (it) => {
  it.effect("The user commands read passwords from standard input and never print them", () =>
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace([])
      const args = ["user", "create", "--workspace", workspaceId, "--email", "Ada@Example.com", "--json"]
      const created = yield* cliProcess(args, "a long and secret sentence\n")
      assert.deepStrictEqual([created.code, created.errors], [0, ""])
      const shown = yield* printed(created.output)
      assert.deepInclude(shown, { email: "ada@example.com", workspace_id: workspaceId })
      assert.notInclude(created.output, "secret")
      const { users } = yield* Repo
      const user = yield* users.authenticate("ada@example.com", Redacted.make("a long and secret sentence"))
      assert.strictEqual(user.id, shown["id"])
      const changed = yield* cli(["user", "password", "--email", "ADA@example.com"], "another secret sentence\n")
      assert.deepStrictEqual([changed.code, changed.errors], [0, ""])
      assert.notInclude(changed.output, "secret")
      yield* users.authenticate("ada@example.com", Redacted.make("another secret sentence"))
    })
  )

  it.effect("A user who exists gets into a workspace only with --existing, after the ones they are in were named", () =>
    Effect.gen(function* () {
      const { members, users } = yield* Repo
      const theirs = yield* makeWorkspace([])
      const workspaceId = yield* makeWorkspace([])
      const email = "hedy@example.com"
      const { id } = yield* users.create(theirs, email, Redacted.make("a long and secret sentence"), "admin")
      const create = ["user", "create", "--workspace", workspaceId, "--email", "Hedy@Example.com", "--role", "editor"]
      const give = ["user", "role", "--workspace", workspaceId, "--email", email, "admin"]
      const named = `There is already a user ${email}, in "A team" (${theirs}). Nothing was changed. If you mean that user, add --existing\n`
      for (const args of [create, give]) {
        const refused = yield* cli(args, "another secret sentence\n")
        assert.deepStrictEqual([refused.code, refused.errors], [1, named])
      }
      assert.deepStrictEqual(yield* members.list(workspaceId), [])
      assert.strictEqual((yield* cli([...create, "--existing"])).code, 0)
      yield* users.authenticate(email, Redacted.make("a long and secret sentence"))
      const again = yield* cli([...create, "--existing"])
      const already = `${email} is already a member of the workspace. Nothing was changed. Use "user role" to give another role\n`
      assert.deepStrictEqual([again.code, again.errors], [1, already])
      const joined = () =>
        Effect.map(members.list(workspaceId), (rows) => rows.map(({ role, userId }) => [userId, role]))
      assert.deepStrictEqual(yield* joined(), [[id, "editor"]])
      assert.strictEqual((yield* cli(give)).code, 0)
      assert.deepStrictEqual(yield* joined(), [[id, "admin"]])
      const nobody = yield* cli([
        "user",
        "role",
        "--workspace",
        workspaceId,
        "--email",
        "n@example.com",
        "--existing",
        "admin"
      ])
      assert.deepStrictEqual(
        [nobody.code, nobody.errors],
        [1, `There is no user n@example.com, or no workspace ${workspaceId}\n`]
      )
      const removed = yield* users.create(theirs, "ada@nowhere.example", Redacted.make("a long and secret sentence"))
      yield* members.remove({ workspaceId: theirs, userId: removed.id })
      const nowhere = yield* cli(["user", "role", "--workspace", workspaceId, "--email", removed.email, "viewer"])
      assert.include(nowhere.errors, "in no workspace")
    })
  )

  it.effect("A user is not created with a short password or in an unknown workspace", () =>
    Effect.gen(function* () {
      const create = (workspaceId: WorkspaceId, password: string) =>
        cli(["user", "create", "--workspace", workspaceId, "--email", "grace@example.com"], password)
      const workspaceId = yield* makeWorkspace([])
      const short = yield* create(workspaceId, "eleven char\n")
      assert.deepStrictEqual(
        [short.code, short.errors],
        [1, "Expected a password of 12 to 1024 characters on standard input\n"]
      )
      const unknown = WorkspaceId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")
      const nowhere = yield* create(unknown, "a long and secret sentence\n")
      assert.deepStrictEqual([nowhere.code, nowhere.errors], [1, `There is no workspace ${unknown}\n`])
    })
  )

  it.effect("A duration that is negative or zero is refused with one line, not read as other flags", () =>
    Effect.gen(function* () {
      const { id } = yield* makeKey(yield* makeWorkspace([]))
      for (const args of [
        ["key", "rotate", id, "--overlap", "-1h"],
        ["key", "rotate", id, "--overlap", "0h"],
        ["key", "create", "--workspace", id, "--expires-in", "-90d"]
      ]) {
        const { code, errors, output } = yield* cli(args)
        assert.deepStrictEqual([code, output], [1, ""])
        assert.match(
          errors,
          /^Invalid value for flag .* Expected a duration such as 90d, 12h, 30m or 45s, got -?\d+\w\n/
        )
      }
    })
  )

  it.effect("Rotating a key prints the replacement and expires the old key after the overlap", () =>
    Effect.gen(function* () {
      const { apiKeys } = yield* Repo
      const workspaceId = yield* makeWorkspace([])
      const old = yield* makeKey(workspaceId, { requiresApproval: true })
      const rotated = yield* cli(["key", "rotate", old.id, "--overlap", "2h", "--json"])
      assert.deepStrictEqual([rotated.code, rotated.errors], [0, ""])
      const shown = yield* printed(rotated.output)
      assert.deepInclude(shown, { name: "A key", requires_approval: true, expires_at: null })
      const key = yield* Schema.decodeUnknownEffect(Schema.String)(shown["key"])
      assert.isTrue(Option.isSome(yield* apiKeys.find(Redacted.make(key))))
      const ending = (yield* apiKeys.list(workspaceId)).find(({ id }) => id === old.id)
      const overlap = Number(ending?.expiresAt?.epochMilliseconds) - Number(ending?.rotatedAt?.epochMilliseconds)
      assert.strictEqual(overlap, 7_200_000)
      yield* apiKeys.revoke(old.id)
      const refused = yield* cli(["key", "rotate", old.id])
      assert.deepStrictEqual([refused.code, refused.errors], [1, `The key ${old.id} has ended; create a new one\n`])
    })
  )

  it.effect(
    "A key gets every scope by default but those that have to be named, which a key that requires approval can't have",
    () =>
      Effect.gen(function* () {
        const create = ["key", "create", "--workspace", yield* makeWorkspace([]), "--json"]
        const { output } = yield* cli([...create, "--requires-approval"])
        assert.deepStrictEqual((yield* printed(output))["scopes"], [
          "posts:read",
          "posts:write",
          "posts:publish",
          "posts:delete",
          "media:write",
          "integrations:read",
          "notifications:read"
        ])
        const named = ["--scope", "webhooks:manage", "--scope", "posts:read", "--scope", "integrations:write"]
        assert.strictEqual((yield* cli([...create, ...named])).code, 0)
        const refused = yield* cli([...create, ...named, "--requires-approval"])
        assert.deepStrictEqual(
          [refused.code, refused.output, refused.errors],
          [1, "", "A key that requires approval can't have the scope webhooks:manage or integrations:write\n"]
        )
      })
  )

  it.effect.each([
    {
      args: ["workspace", "create"],
      error: "Missing required argument: name\nSee: social-publisher workspace create --help\n"
    },
    {
      args: ["key", "nope"],
      error: 'Unknown subcommand "nope" for "social-publisher key"\nSee: social-publisher key --help\n'
    },
    {
      args: ["key", "create", "--workspace", "x"],
      error:
        'Invalid value for flag --workspace: "x". Expected a UUID; `workspace list` prints the ids\nSee: social-publisher key create --help\n'
    },
    {
      args: ["user", "create", "--workspace", "0190a0a0-0000-7000-8000-000000000000", "--email", "adın@b.example"],
      error:
        'Invalid value for flag --email: "adın@b.example". Expected an email address without accents and other alphabets, with such a domain in its xn-- form\nSee: social-publisher user create --help\n'
    }
  ])("Of a wrong command line only the error is printed, and where to find help: $args", ({ args, error }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* cli(args), { code: 1, output: "", errors: error })
    })
  )

  it.effect("A process prints the error of a wrong command line once, and ends with code 1", () =>
    Effect.gen(function* () {
      const { code, errors, output } = yield* cliProcess(["key", "nope"])
      assert.deepStrictEqual([code, output, errors.trimEnd().split("\n").length], [1, "", 2])
    })
  )

  it.effect.each([["integration"], ["key"]] as const)("`%s list` names an unknown workspace in one line", ([command]) =>
    Effect.gen(function* () {
      const unknown = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"
      const { code, errors, output } = yield* cli([command, "list", "--workspace", unknown])
      assert.deepStrictEqual([code, output, errors], [1, "", `There is no workspace ${unknown}\n`])
    })
  )

  it.effect("Help is printed where it is asked for, and for a command that is incomplete", () =>
    Effect.gen(function* () {
      for (const args of [["key", "--help"], ["key"]]) {
        assert.match((yield* cli(args)).output, /social-publisher key <subcommand>[^]*rotate/)
      }
    })
  )

  it.effect("An unexpected failure is reported with its cause", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE api_keys RENAME TO renamed_keys`
      const { code, errors, output } = yield* cliProcess(["key", "list"])
      yield* sql`ALTER TABLE renamed_keys RENAME TO api_keys`
      assert.deepStrictEqual([code, output], [1, ""])
      assert.match(errors, /^The command failed unexpectedly: [^]*relation "api_keys" does not exist/)
    })
  )
})
