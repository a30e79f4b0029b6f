import { Effect, Exit, Redacted, Scope } from "effect"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"
import { runService } from "../support/process/service.ts"

const encryptionKey = Buffer.alloc(32, 1).toString("base64")
const scope = Scope.makeUnsafe()
let databaseUrl = ""
let dataDir = ""
let port = 0
let workspace = ""

/** Runs a command beside the service, with no more environment than its DATA_DIR and database. */
const cli = (args: ReadonlyArray<string>, input = "", env: Readonly<Record<string, string>> = {}) =>
  Effect.runPromise(
    runCommand(args, { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKey, ...env }, input)
  )

const json = (text: string) => JSON.parse(text)

const connect = (name: string, ...more: ReadonlyArray<string>) =>
  cli(
    ["integration", "connect", "bluesky", "--workspace", workspace, "--identifier", `${name}.sandbox.test`, ...more],
    "sandbox-app-password"
  )

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), "accounts "))
  databaseUrl = Redacted.value(await Effect.runPromise(Scope.provide(freshDatabase, scope)))
  port = await freePort()
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: encryptionKey }
  await Effect.runPromise(Scope.provide(runService({ ...env, PORT: String(port) }), scope))
  workspace = json((await cli(["workspace", "list", "--json"])).output)[0].id
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
  await rm(dataDir, { recursive: true, force: true })
})

describe("integration", () => {
  it("`connect twitter` prints an address of the running service, whichever port that has", async () => {
    const { code, output } = await cli(["integration", "connect", "twitter", "--workspace", workspace, "--json"])
    assert.strictEqual(code, 0)
    const url = new URL(json(output).url)
    assert.strictEqual(url.port, String(port))
    assert.strictEqual(url.searchParams.get("redirect_uri"), `http://127.0.0.1:${port}/oauth/twitter/callback`)
  })

  it("`connect twitter` fails with one line where the service's address can't be known", async () => {
    const other = await mkdtemp(path.join(tmpdir(), "elsewhere "))
    const env = { DATA_DIR: other, PLATFORMS: "live", TWITTER_CLIENT_ID: "id" }
    const { code, errors } = await cli(["integration", "connect", "twitter", "--workspace", workspace], "", env)
    await rm(other, { recursive: true, force: true })
    assert.deepStrictEqual([code, errors.trimEnd().split("\n").length], [1, 1])
    assert.match(errors, /^BASE_URL: set it, or PORT/)
  })

  it("`connect twitter` asks for the service to be started where one that was killed has left its address", async () => {
    const other = await mkdtemp(path.join(tmpdir(), "killed "))
    await writeFile(path.join(other, "base-url"), `http://127.0.0.1:${await freePort()}`)
    const env = { DATA_DIR: other, PLATFORMS: "live", TWITTER_CLIENT_ID: "id" }
    const { code, errors, output } = await cli(["integration", "connect", "twitter", "--workspace", workspace], "", env)
    await rm(other, { recursive: true, force: true })
    assert.deepStrictEqual([code, output, errors.trimEnd().split("\n").length], [1, "", 1])
    assert.include(errors, "or start the service with this DATA_DIR")
  })

  it("`connect twitter` names an unknown workspace in one line", async () => {
    const unknown = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"
    const { code, errors } = await cli(["integration", "connect", "twitter", "--workspace", unknown])
    assert.deepStrictEqual([code, errors], [1, `There is no workspace ${unknown}\n`])
  })

  it("`connect bluesky` replaces another account only with --posts, and `disconnect` asks about it again", async () => {
    const refused = await connect("second")
    assert.strictEqual(refused.code, 1)
    assert.match(
      refused.errors,
      /^@second\.sandbox\.test is a different Bluesky account from @demo\.sandbox\.test, for which no post waits\. Nothing was changed\. To replace the account, repeat the command with --posts replace, .* or with --posts drafts, .*\n$/
    )
    const replaced = await connect("second", "--posts", "replace", "--json")
    assert.deepStrictEqual([replaced.code, replaced.errors], [0, ""])
    assert.strictEqual(json(replaced.output).username, "second.sandbox.test")
    assert.strictEqual((await connect("second")).code, 0)
    const disconnected = await cli(["integration", "disconnect", json(replaced.output).id])
    assert.deepStrictEqual([disconnected.code, disconnected.errors], [0, ""])
    assert.strictEqual((await connect("demo")).code, 1)
    assert.strictEqual((await connect("demo", "--posts", "drafts")).code, 0)
  })

  it("`check` is the earlier name of `platform check twitter`", async () => {
    const { code, errors } = await cli(["integration", "check", "--workspace", workspace])
    assert.strictEqual(code, 1)
    assert.include(errors, "from @demo on X")
    const { output } = await cli(["integration", "--help"])
    assert.notInclude(output, "check")
  })

  const language = (tag: string) => cli(["workspace", "language", "--workspace", workspace, tag, "--json"])

  it("A workspace's language is a tag of BCP 47 or none, and is stored in its usual form", async () => {
    assert.deepStrictEqual(json((await language("pt-br")).output), {
      id: workspace,
      language: "pt-BR",
      name: "Brazilian Portuguese"
    })
    assert.deepStrictEqual(json((await language("EN")).output), { id: workspace, language: "en", name: "English" })
    assert.deepStrictEqual(json((await language("none")).output), { id: workspace, language: null, name: null })
  })

  it.each([
    ["english", ` English is en.`],
    ["Deutsch", ""],
    ["not a language", ""]
  ])("What Bluesky takes for no language is refused with what to enter: %s", async (tag, hint) => {
    const { code, errors } = await language(tag)
    assert.deepStrictEqual(
      [code, errors],
      [1, `"${tag}" is not a language tag. A language is a tag such as en, pt-BR or yue, or "none".${hint}\n`]
    )
  })
})

describe("platform check", () => {
  const check = (name: string, ...more: ReadonlyArray<string>) =>
    cli(["platform", "check", name, "--workspace", workspace, ...more])

  const order = (fault: object) =>
    fetch(`http://127.0.0.1:${port}/sandbox/faults`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fault)
    })

  const timelines = async () => (await fetch(`http://127.0.0.1:${port}/sandbox`)).text()

  it.each([
    ["twitter", "@demo on X", "Followers may see them for some seconds, and X charges about $0.04"],
    ["bsky", "@demo.sandbox.test on Bluesky", "and programs that read all new posts may keep copies"]
  ])("%s is asked nothing without --yes, and others could see what it would do: %s", async (name, account, seen) => {
    const { code, errors, output } = await check(name)
    assert.deepStrictEqual([code, output], [1, ""])
    assert.match(
      errors,
      /^This posts two short texts from .*, reads the first and deletes both\. .*\. Nothing was posted\. .* with --yes\n$/
    )
    for (const part of [account, seen]) assert.include(errors, part)
    assert.notInclude(await timelines(), "Trying a thread")
  })

  it.each([
    ["twitter", "demo", "about $0.04"],
    ["bluesky", "demo.sandbox.test", null]
  ])("--yes publishes on %s, reads and deletes, and leaves nothing", async (name, account, charged) => {
    const { code, errors, output } = await check(name, "--yes", "--json")
    assert.deepStrictEqual([code, errors], [0, ""])
    assert.deepStrictEqual(json(output), {
      platform: name,
      account,
      reply: "taken",
      reason: null,
      repeated: 0,
      read: "found",
      missing_scopes: [],
      left: [],
      charged
    })
    assert.notInclude(await timelines(), "Trying a thread")
    const { output: table } = await check(name, "--yes")
    assert.match(table, /^missing_scopes +-$/m)
  })

  it("A reply that X refuses, and a post that can't be read, end with a code other than 0", async () => {
    await order({ platform: "twitter", call: "reply", fault: { kind: "no_replies" } })
    await order({
      platform: "twitter",
      call: "timeline",
      fault: { kind: "status", status: 403, detail: "Not for you" }
    })
    const { code, errors, output } = await check("X", "--yes", "--json")
    assert.strictEqual(code, 1)
    assert.deepInclude(json(output), { reply: "refused", read: "unknown", left: [] })
    assert.match(errors, /^Threads can't be posted from this account: X does not let this application reply/)
    assert.match(errors, /X did not show the first post when it was looked up: .*Not for you/)
    assert.notInclude(await timelines(), "Trying a thread")
  })

  it.each([
    ["linkedin", "linkedin is still in platform review and can't be connected until the service's operator enables it"],
    ["mastodon", "There is no platform mastodon. Expected twitter, bluesky, "]
  ])("%s is refused with the reason", async (name, reason) => {
    const { code, errors } = await check(name, "--yes")
    assert.strictEqual(code, 1)
    assert.include(errors, reason)
  })

  it("Where the workspace has no account on the platform, one is asked for", async () => {
    const empty = json((await cli(["workspace", "create", "Empty", "--json"])).output).id
    const { code, errors } = await cli(["platform", "check", "bluesky", "--workspace", empty, "--yes"])
    assert.deepStrictEqual([code, errors], [1, "No connected account on Bluesky can post. Connect one first\n"])
  })
})
