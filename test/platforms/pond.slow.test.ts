import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Predicate, Redacted, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { png } from "../sandbox/sampleFiles.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { freePort, runProgramOf } from "../support/process/program.ts"
import { addPlatforms, copyProject, removePlatforms } from "./copiedProject.ts"

// Starts early: it compiles a copy of the project.

const encryptionKey = Buffer.alloc(32, 7).toString("base64")

/** Reads an answer, and shows one that is not as expected. */
const reader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (answer: unknown): S["Type"] => Option.getOrElse(decode(answer), () => assert.fail(JSON.stringify(answer)))
}

const Part = Schema.Struct({ platform_post_url: Schema.NullOr(Schema.String) })
const Target = Schema.Struct({
  ...Part.fields,
  status: Schema.String,
  error: Schema.NullOr(Schema.Struct({ code: Schema.String })),
  parts: Schema.NullOr(Schema.Array(Part)),
  integrations: Schema.Struct({ platform: Schema.String })
})
const OnePost = Schema.Struct({ data: Schema.Struct({ status: Schema.String, post_targets: Schema.Array(Target) }) })
const decodePost = reader(OnePost)
const decodeCreated = reader(Schema.Struct({ id: Schema.String }))
const decodeNamed = reader(Schema.Struct({ data: Schema.Array(Schema.Struct({ platform: Schema.String })) }))
const decodeFile = reader(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeConsent = reader(Schema.Struct({ data: Schema.Struct({ authorize_url: Schema.String }) }))

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "pond-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

/** A copy of the project with the pond and the puddle. */
const copyWithPlatforms = Effect.gen(function* () {
  const copy = yield* temporaryDirectory
  yield* Effect.promise(() => copyProject(copy))
  yield* Effect.promise(() => addPlatforms(copy))
  return copy
})

/** The compiler's complaints about a copy: the service and its dashboard at once. Effect's own rules hold in the pond's folder here. */
const typeErrors = (directory: string) =>
  Effect.promise(async (signal) => {
    const config = path.join(directory, "tsconfig.copy.json")
    const compilerOptions = {
      lib: ["es2025", "dom", "dom.iterable"],
      jsx: "react-jsx",
      jsxImportSource: "preact",
      plugins: [{ name: "@effect/language-service", diagnostics: false }]
    }
    await writeFile(
      config,
      JSON.stringify({ extends: "./tsconfig.json", compilerOptions, include: ["src"], exclude: [] })
    )
    return promisify(execFile)(path.join(directory, "node_modules/.bin/tsc"), ["-p", config], { signal }).then(
      () => "",
      (error: unknown) => (Predicate.hasProperty(error, "stdout") ? String(error.stdout) : String(error))
    )
  })

/** A service of a copy of the project, until the scope closes or it is stopped. */
const startService = Effect.fn("startService")(function* (directory: string, env: Readonly<Record<string, string>>) {
  const service = yield* Effect.acquireRelease(
    Effect.sync(() => runProgramOf(directory, "src/main.ts", [], env)),
    ({ ended, kill }) =>
      Effect.promise(() => {
        kill("SIGKILL")
        return ended
      })
  )
  yield* Effect.promise(() => service.printed(/Listening/))
  return {
    /** The demo's key, which is printed once. */
    key: Effect.map(
      Effect.promise(() => service.printed(/API key {5}(\S+)/)),
      ([, key = ""]) => key
    ),
    stop: Effect.promise(async () => {
      service.kill("SIGTERM")
      const { code, output } = await service.ended
      assert.strictEqual(code, 0)
      return output
    })
  }
})

const client = (port: string, key: string) => {
  const call = (method: string, route: string, body?: object) =>
    Effect.promise(async (): Promise<unknown> => {
      const response = await fetch(`http://127.0.0.1:${port}${route}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return response.json()
    })
  const written = (...of: Parameters<typeof call>) => Effect.map(call(...of), (answer) => JSON.stringify(answer))
  const target = (id: string, platform: string) =>
    Effect.map(call("GET", `/v1/posts/${id}`), (post) => {
      const { data } = decodePost(post)
      const found = data.post_targets.find(({ integrations }) => integrations.platform === platform)
      return found ?? assert.fail("The post has no such target")
    })
  const until = (id: string, platform: string, isMet: (met: typeof Target.Type) => boolean) =>
    Effect.repeat(target(id, platform), { until: isMet, schedule: Schedule.spaced("100 millis") })
  return {
    call,
    written,
    until,
    create: (content: string, more: object = {}) =>
      Effect.map(
        call("POST", "/v1/posts", { content, platforms: ["pond"], ...more }),
        (post) => decodeCreated(post).id
      ),
    /** The final state of a post on a platform. */
    end: (id: string, platform = "pond") =>
      Effect.map(
        until(id, platform, ({ status }) => /^(published|failed)$/.test(status)),
        ({ error, status }) => error?.code ?? status
      ),
    fault: (fault: object, platform = "pond") => call("POST", "/sandbox/faults", { platform, fault }),
    page: Effect.promise(async () => (await fetch(`http://127.0.0.1:${port}/sandbox`)).text())
  }
}

/** Makes a post due a minute ago, as if an hour had passed. */
const makeDue = (url: Redacted.Redacted, id: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE post_targets SET due_since = now() - interval '1 minute', due_at = now() - interval '1 minute'
      WHERE post_id = ${id}::uuid`
  ).pipe(Effect.provide(databaseLayer(url)))

/** Uploads a picture, and waits until it is ready. */
const uploadPicture = (port: string, key: string) =>
  Effect.gen(function* () {
    const uploaded = yield* Effect.promise(async () => {
      const body = new FormData()
      body.append("file", new Blob([Uint8Array.from(png)], { type: "image/png" }), "a.png")
      const headers = { authorization: `Bearer ${key}` }
      return (await fetch(`http://127.0.0.1:${port}/v1/media`, { method: "POST", headers, body })).json()
    })
    const { id } = decodeFile(uploaded).data
    yield* Effect.repeat(client(port, key).written("GET", `/v1/media/${id}`), {
      until: (file) => file.includes('"ready"'),
      schedule: Schedule.spaced("100 millis")
    })
    return id
  })

/** Presses the button of a consent page, and follows it back to the service. */
const linkByConsent = (authorizeUrl: string) =>
  Effect.promise(async () => {
    const page = await (await fetch(authorizeUrl)).text()
    const [, back = ""] = /class="button" href="([^"]+)"/.exec(page) ?? []
    const asked = new URL(back.replaceAll("&amp;", "&"))
    const body = new URLSearchParams({ ...Object.fromEntries(asked.searchParams), decision: "connect" })
    const headers = { origin: asked.origin }
    const response = await fetch(new URL("/oauth/pond/confirmation", asked), { method: "POST", headers, body })
    assert.include(await response.text(), "Posts can now go out as @visitor")
  })

const scopes = ["posts:read", "posts:write", "posts:publish", "integrations:write"].flatMap((scope) => [
  "--scope",
  scope
])

const inASecond = () => ({ schedule_at: new Date(Date.now() + 1_000).toISOString() })
const inAnHour = () => ({ schedule_at: new Date(Date.now() + 3_600_000).toISOString() })

describe.concurrent("A platform is a folder and two lines", () => {
  it.live("The compiler asks for nothing else", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* typeErrors(yield* copyWithPlatforms), "")
    }).pipe(Effect.scoped)
  )

  it.live("The pond is added, used, and taken away again", () =>
    Effect.gen(function* () {
      const copy = yield* copyWithPlatforms
      const port = String(yield* Effect.promise(freePort))
      const dataDir = path.join(copy, "data")
      const envOf = (url: Redacted.Redacted) => ({
        // It is asked again and again for what becomes of posts.
        RATE_LIMIT_PER_MINUTE: "6000",
        PORT: port,
        DATABASE_URL: Redacted.value(url),
        DATA_DIR: dataDir,
        ENCRYPTION_KEY: encryptionKey
      })
      const env = envOf(yield* freshDatabase)
      const cli = (args: ReadonlyArray<string>, of = env) =>
        Effect.promise(async () => {
          const { code, errors, output } = await runProgramOf(copy, "src/cli.ts", args, of).ended
          assert.strictEqual(code, 0, errors)
          return output
        })
      const service = yield* startService(copy, env)
      const key = yield* service.key
      const { call, create, end, fault, page, until, written } = client(port, key)

      // It is listed, and its rules hold.
      const listed = decodeNamed(yield* call("GET", "/v1/platforms")).data.map(({ platform }) => platform)
      assert.deepStrictEqual(listed.slice(0, 4), ["twitter", "bluesky", "pond", "puddle"])
      const validate = (content: string) =>
        written("POST", "/v1/posts/validate", { content, platforms: ["pond"], ...inAnHour() })
      assert.include(yield* validate("A frog"), `"valid":true,"errors":[]`)
      assert.include(yield* validate("A toad"), "pond takes no toads")
      assert.include(yield* validate("o".repeat(121)), `"length":121,"limit":120,"valid":false`)

      // A thread whose address follows, and a post with a picture.
      const thread = yield* create("Ripple", {
        thread: [{ content: "Second" }, { content: "Third" }],
        ...inASecond()
      })
      assert.strictEqual(yield* end(thread), "published")
      const id = yield* uploadPicture(port, key)
      const both = { platforms: ["pond", "puddle"], media: [{ id }], ...inASecond() }
      const picture = yield* create("A picture", both)
      const seen = new Set<string>()
      yield* until(picture, "pond", ({ status }) => seen.add(status) && status === "published")
      assert.strictEqual(yield* end(picture, "puddle"), "published")
      assert.include([...seen], "publishing")

      // Publications that are cut off, one that the pond drops, and one that a person has to look for.
      yield* fault({ kind: "reset", when: "after_commit" })
      const after = yield* create("Cut after", inASecond())
      yield* until(after, "pond", ({ error }) => error?.code === "outcome_unknown")
      yield* fault({ kind: "reset", when: "before_commit" })
      const before = yield* create("Cut before", inASecond())
      assert.strictEqual(yield* end(after), "published")
      assert.strictEqual(yield* end(before), "outcome_unknown")
      const resolved = { outcome: "published", url: `http://127.0.0.1:${port}/sandbox/pond/drops/1` }
      assert.include(yield* written("POST", `/v1/posts/${before}/targets/pond/resolve`, resolved), `"published"`)
      yield* fault({ kind: "processing", error: "Too muddy" })
      const sunk = yield* create("Sunk", inASecond())
      assert.strictEqual(yield* end(sunk), "rejected")

      // Accounts of another workspace are connected on the pond's page, and by the puddle's form.
      const [workspace = ""] = /[0-9a-f-]{36}/.exec(yield* cli(["workspace", "create", "Frogs", "--json"])) ?? []
      const created = yield* cli(["key", "create", "--workspace", workspace, "--json", ...scopes])
      const frogs = client(port, /"key": "([^"]+)"/.exec(created)?.[1] ?? "")
      yield* linkByConsent(decodeConsent(yield* frogs.call("POST", "/v1/integrations/pond", {})).data.authorize_url)
      const puddle = yield* frogs.written("POST", "/v1/integrations/puddle", { name: "ada", croak: "sandbox" })
      assert.include(puddle, `"username":"ada"`)
      const linked = yield* frogs.create("From a frog", { platforms: ["pond", "puddle"], ...inASecond() })
      assert.deepStrictEqual([yield* frogs.end(linked), yield* frogs.end(linked, "puddle")], ["published", "published"])
      const trial = yield* cli(["platform", "check", "pond", "--workspace", workspace, "--yes", "--json"])
      assert.include(trial.replaceAll(/\s+/g, ""), `"reply":"taken"`)

      // A restored database does not know that a post went out.
      const restoredPost = yield* create("Restored", inAnHour())
      const file = path.join(copy, "posts.backup")
      yield* cli(["backup", file])
      yield* call("POST", `/v1/posts/${restoredPost}/publish`)
      assert.strictEqual(yield* end(restoredPost), "published")
      yield* service.stop
      const restoredUrl = yield* freshDatabase
      const restored = envOf(restoredUrl)
      yield* cli(["restore", file], restored)
      const again = yield* startService(copy, restored)
      yield* call("POST", `/v1/posts/${restoredPost}/publish`)
      yield* cli(["resume"], restored)
      assert.strictEqual(yield* end(restoredPost), "published")
      assert.lengthOf((yield* page).match(/Restored/g) ?? [], 1)
      yield* until(thread, "pond", ({ parts }) =>
        (parts ?? []).every(({ platform_post_url }) => platform_post_url !== null)
      )
      const waiting = yield* create("Waiting", inAnHour())
      yield* again.stop
      yield* makeDue(restoredUrl, waiting)

      // Without the two lines the rest works as before.
      yield* Effect.promise(() => removePlatforms(copy))
      const without = yield* startService(copy, restored)
      assert.include(yield* written("GET", `/v1/posts/${after}`), `/sandbox/pond/drops/`)
      assert.include(yield* written("GET", "/v1/posts"), "Restored")
      const accounts = decodeNamed(yield* call("GET", "/v1/integrations")).data.map(({ platform }) => platform)
      assert.sameMembers(accounts, ["twitter", "bluesky"])
      const refused = yield* written("POST", "/v1/posts", { content: "New", platforms: ["pond"], ...inASecond() })
      assert.include(refused, `platforms.0: Expected`)
      assert.include(yield* written("POST", `/v1/posts/${sunk}/publish`), "post_unreadable")
      const other = yield* create("Elsewhere", { platforms: ["twitter"], ...inASecond() })
      assert.strictEqual(yield* end(other, "twitter"), "published")
      assert.include(yield* written("GET", `/v1/posts/${waiting}`), `"status":"scheduled"`)
      assert.notInclude(yield* without.stop, "A request failed")
    }).pipe(Effect.scoped)
  )
})
