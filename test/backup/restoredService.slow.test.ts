import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Schedule, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { copyDatabase, freshDatabase } from "../support/database/testDatabase.ts"
import { runCommand } from "../support/process/commands.ts"
import { freePort } from "../support/process/program.ts"
import { runService } from "../support/process/service.ts"

const encryptionKey = Buffer.alloc(32, 7).toString("base64")

const Posts = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({
      content: Schema.String,
      status: Schema.String,
      post_targets: Schema.Array(Schema.Struct({ error: Schema.NullOr(Schema.Struct({ code: Schema.String })) }))
    })
  )
})
const decodePosts = Schema.decodeUnknownSync(Posts)
const decodeId = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.String }))

/** The service on a database, with the sandbox's timelines in `dataDir`. */
const startService = Effect.fn("startService")(function* (url: Redacted.Redacted, dataDir: string, port: number) {
  const env = {
    PORT: String(port),
    DATABASE_URL: Redacted.value(url),
    DATA_DIR: dataDir,
    ENCRYPTION_KEY: encryptionKey,
    RATE_LIMIT_PER_MINUTE: "1000000"
  }
  const scope = yield* Scope.fork(yield* Effect.scope)
  const printed = yield* Scope.provide(runService(env), scope)
  return {
    key: /API key {5}(\S+)/.exec(printed)?.[1] ?? "",
    cli: (...args: ReadonlyArray<string>) => runCommand(args, env),
    stop: Scope.close(scope, Exit.void)
  }
})

const client = (port: number, key: string) => {
  const call = (method: string, route: string, body?: object) =>
    Effect.promise(async (): Promise<unknown> => {
      const response = await fetch(`http://127.0.0.1:${port}${route}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      return response.json()
    })
  const posts = Effect.map(call("GET", "/v1/posts"), (response) => decodePosts(response).data)
  return {
    call,
    create: (content: string, scheduledAt?: string) =>
      Effect.map(
        call("POST", "/v1/posts", { content, platforms: ["twitter", "bluesky"], schedule_at: scheduledAt }),
        (response) => decodeId(response).id
      ),
    publish: (id: string) => call("POST", `/v1/posts/${id}/publish`),
    /** Each post's status, or the codes of its targets' errors, once these posts have ended. */
    outcomes: (...ended: ReadonlyArray<string>) =>
      posts.pipe(
        Effect.repeat({
          until: (all) =>
            all.every(({ content, status }) => !ended.includes(content) || /^(published|failed)$/.test(status)),
          schedule: Schedule.spaced("100 millis")
        }),
        Effect.map((all) =>
          Object.fromEntries(
            all.map(({ content, post_targets, status }) => [
              content,
              status === "failed" ? post_targets.map(({ error }) => error?.code) : status
            ])
          )
        )
      ),
    /** How often each text is on the timelines of the two platforms. */
    timelines: (...texts: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const page = await (await fetch(`http://127.0.0.1:${port}/sandbox`)).text()
        return texts.map((text) => page.split(text).length - 1)
      })
  }
}

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "restored-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

/** Makes posts due a minute ago, as if an hour had passed. */
const makeDue = (url: Redacted.Redacted, contents: ReadonlyArray<string>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE post_targets t SET due_since = now() - interval '1 minute', due_at = now() - interval '1 minute'
      FROM posts p WHERE p.id = t.post_id AND p.content = ANY(${contents}::text[])`
  ).pipe(Effect.provide(databaseLayer(url)))

describe("A service on a restored database", () => {
  it.live("publishes nothing a second time, and leaves to a person what its platforms do not show", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const file = path.join(dataDir, "posts.backup")
      const port = yield* Effect.promise(freePort)
      const before = yield* startService(yield* freshDatabase, dataDir, port)
      const { call, create, outcomes, publish, timelines } = client(port, before.key)
      const scheduled = yield* create("Apple", inAnHour())
      const draft = yield* create("Banana")
      const deleted = yield* create("Cherry", inAnHour())
      yield* create("Damson", inAnHour())
      assert.strictEqual((yield* before.cli("backup", file)).code, 0)
      const lost = yield* create("Elder")
      yield* Effect.all([publish(scheduled), publish(draft), publish(lost), call("DELETE", `/v1/posts/${deleted}`)])
      const published = { Apple: "published", Banana: "published", Elder: "published" }
      assert.deepInclude(yield* outcomes("Apple", "Banana", "Elder"), published)
      yield* before.stop

      const restoredUrl = yield* freshDatabase
      const restoring = yield* runCommand(["restore", file], {
        DATABASE_URL: Redacted.value(restoredUrl),
        DATA_DIR: dataDir,
        ENCRYPTION_KEY: encryptionKey
      })
      assert.strictEqual(restoring.code, 0, restoring.errors)
      yield* makeDue(restoredUrl, ["Apple", "Cherry"])

      const after = yield* startService(restoredUrl, dataDir, port)
      assert.match(JSON.stringify(yield* call("GET", "/readyz")), /"status":"ready".*publishing has been on hold since/)
      yield* publish(draft)
      assert.deepStrictEqual(yield* outcomes(), {
        Apple: "scheduled",
        Banana: "scheduled",
        Cherry: "scheduled",
        Damson: "scheduled"
      })
      const resumed = yield* after.cli("resume")
      assert.match(resumed.output, /^4 targets were due before the restore: /)
      const [, unmatched = ""] = resumed.output.split("\nNo post of this service matches these,")
      assert.deepStrictEqual(unmatched.match(/Apple|Banana|Elder/g), ["Elder"])
      assert.deepStrictEqual(yield* outcomes("Apple", "Banana", "Cherry"), {
        Apple: "published",
        Banana: "published",
        Cherry: ["outcome_unknown", "outcome_unknown"],
        Damson: "scheduled"
      })
      assert.deepStrictEqual(yield* timelines("Apple", "Banana", "Cherry", "Damson"), [2, 2, 0, 0])
      assert.include(JSON.stringify(yield* call("GET", "/v1/notifications")), "post.failed")
    }).pipe(Effect.scoped)
  )

  it.live("publishes nothing a second time where it was restored without a word, but was not in use for a minute", () =>
    Effect.gen(function* () {
      const dataDir = yield* temporaryDirectory
      const port = yield* Effect.promise(freePort)
      const url = yield* freshDatabase
      const before = yield* startService(url, dataDir, port)
      const { create, outcomes, publish, timelines } = client(port, before.key)
      const id = yield* create("Apple", inAnHour())
      yield* before.stop
      const snapshot = yield* copyDatabase(url)
      const meanwhile = yield* startService(url, dataDir, port)
      yield* publish(id)
      assert.deepStrictEqual(yield* outcomes("Apple"), { Apple: "published" })
      yield* meanwhile.stop

      yield* makeDue(snapshot, ["Apple"])
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`
            INSERT INTO processes (id, started_at, lease_until)
            VALUES (gen_random_uuid(), now() - interval '1 hour', now() - interval '10 minutes')`.pipe(
          Effect.andThen(sql`UPDATE processes SET lease_until = now() - interval '10 minutes'`)
        )
      ).pipe(Effect.provide(databaseLayer(snapshot)))
      yield* startService(snapshot, dataDir, port)
      assert.deepStrictEqual(yield* outcomes("Apple"), { Apple: "published" })
      assert.deepStrictEqual(yield* timelines("Apple"), [2])
    }).pipe(Effect.scoped)
  )
})
