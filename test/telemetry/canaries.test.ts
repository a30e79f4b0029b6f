import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Repo } from "../../src/repo/Repo.ts"
import { repoLayer } from "../chaos/support/world.ts"
import { otlpCollector, receivedSpans } from "./otlpCollector.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"
import { freePort, runProgram } from "../support/process/program.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "canaries-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const password = "canary in the coal mine"
const encryptionKey = Buffer.alloc(32, "canary").toString("base64")

/** Everything that the test sends contains this word. */
const canary = /canary/i

const text = (url: string, init: RequestInit = {}) => Effect.promise(async () => (await fetch(url, init)).text())

/** Repeats a request until the response matches, for as long as the test may last. */
const until = (url: string, pattern: RegExp) =>
  Effect.repeat(text(url), { until: (body) => pattern.test(body), schedule: Schedule.spaced("50 millis") })

/** Creates a user in the workspace that the service has made. */
const makeUser = Effect.gen(function* () {
  const { users, workspaces } = yield* Repo
  const [workspace] = yield* workspaces.list
  assert.isDefined(workspace)
  if (workspace !== undefined) yield* users.create(workspace.id, "someone@example.com", Redacted.make(password))
})

/** Adds a constraint that posts violate: PostgreSQL quotes the row in the detail of its error. */
const refusePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE posts ADD CONSTRAINT posts_refused CHECK (content NOT LIKE '%refused%')`
})

/** Uses everything in the service that handles secrets or contents. Returns the responses and the metrics. */
const useAll = Effect.fn(function* (base: string, key: string, cookie: string) {
  const responses: Array<string> = []
  const send = (method: string, route: string, body?: unknown, headers: Record<string, string> = {}) =>
    Effect.map(
      text(`${base}${route}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      }),
      (response) => responses.push(response)
    )
  const orderFault = (platform: string, fault: object) => send("POST", "/sandbox/faults", { platform, fault })

  yield* orderFault("twitter", { kind: "status", status: 401, detail: "canary" })
  yield* orderFault("bluesky", {
    kind: "status",
    status: 400,
    error: "InvalidRequest",
    detail: "canary is not allowed"
  })
  const post = {
    content: "canary",
    platforms: ["twitter", "bluesky"],
    tags: ["canary"],
    platform_overrides: { bluesky: "canary for @canary.test #canary https://canary.example/?canary=1" },
    schedule_at: new Date().toISOString()
  }
  yield* send("POST", "/v1/posts", post, { "idempotency-key": "canary" })
  yield* until(`${base}/metrics`, /^publish_targets_total{platform="twitter",outcome="published"} 1$/m)
  yield* until(`${base}/metrics`, /^publish_targets_total{platform="bluesky",outcome="rejected"} 1$/m)
  yield* orderFault("twitter", { kind: "reset", when: "after_commit" })
  yield* send("POST", "/v1/posts", { ...post, content: "canary again", platforms: ["twitter"] })
  yield* until(`${base}/metrics`, /^publish_retries_total{platform="twitter",reason="outcome_unknown"} 1$/m)

  yield* send("POST", "/v1/posts", { ...post, content: "canary refused" })
  yield* send("POST", "/v1/posts", `{"content":"canary",`)
  yield* send("POST", "/v1/posts", { content: ["canary"], canary: "canary" })
  yield* send("GET", "/v1/posts?status=canary&canary=1&canary")
  yield* send("GET", `/v1/posts?limit=1&key=${key}`)
  yield* send("GET", `/v1/posts/${key}`)
  yield* send("GET", "/v1/posts", undefined, { authorization: "Bearer sps_canary", cookie: "session=canary" })
  yield* send("GET", "/v1/notifications", undefined, { authorization: "", cookie })
  yield* send("POST", "/v1/session", { email: "someone@example.com", password: "canary canary canary" })
  yield* send("GET", "/oauth/twitter/callback?code=canary&state=canary")
  for (const route of ["/v1/posts", "/v1/integrations", "/v1/notifications", "/sandbox"]) yield* send("GET", route)
  return { responses, metrics: yield* text(`${base}/metrics`) }
})

describe("Logs, traces and metrics at the most verbose level", () => {
  it.live("Logs, traces and metrics contain no contents, credentials, keys, cookies, passwords or queries", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* Effect.provide(refusePosts, PgClient.layer({ url }))
      const { received, url: endpoint } = yield* otlpCollector
      const dataDir = yield* temporaryDirectory
      const port = yield* Effect.promise(freePort)
      const env = {
        PORT: String(port),
        DATA_DIR: dataDir,
        DATABASE_URL: Redacted.value(url),
        ENCRYPTION_KEY: encryptionKey,
        LOG_LEVEL: "trace",
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
      }
      const service = runProgram("src/main.ts", [], env)
      const [, key = ""] = yield* Effect.promise(() => service.printed(/API key {5}(\S+)/))
      yield* Effect.provide(makeUser, repoLayer(url))
      const loggedIn = yield* Effect.promise(() =>
        fetch(`http://127.0.0.1:${port}/v1/session`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ email: "someone@example.com", password })
        })
      )
      const [cookie = ""] = (loggedIn.headers.get("set-cookie") ?? "").split(";")
      const { responses, metrics } = yield* useAll(`http://127.0.0.1:${port}`, key, cookie)
      service.kill("SIGTERM")
      const { errors, output } = yield* Effect.promise(() => service.ended)

      const journal = yield* Effect.promise(() => readFile(path.join(dataDir, "sandbox", "sandbox.jsonl"), "utf8"))
      const tokens = [...journal.matchAll(/"(?:access|refresh|family)":"([^"]+)"/g)].map(([, token = ""]) => token)
      assert.isAtLeast(tokens.length, 9)
      assert.match(cookie, /^session=\S{20,}$/)
      const databasePassword = new URL(Redacted.value(url)).password
      const secrets = [key, cookie.slice("session=".length), encryptionKey, databasePassword, ...tokens].filter(Boolean)

      const lines = output.split("\n").filter((line) => line.startsWith("{"))
      const telemetry = { lines: lines.join("\n"), errors, metrics, exported: [...received.values()].flat().join("\n") }
      for (const [where, output] of Object.entries(telemetry)) {
        assert.notMatch(output, canary, where)
        for (const secret of secrets) assert.notInclude(output, secret, where)
      }

      // Responses may repeat their requests, but never the service's own secrets.
      const ownSecrets = [encryptionKey, databasePassword, ...tokens].filter(Boolean)
      for (const secret of ownSecrets) assert.notInclude(responses.join("\n"), secret)
      assert.include(responses.join("\n"), '"username":"demo.sandbox.test"')

      const defects = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "ERROR")
      assert.lengthOf(defects, 1)
      assert.strictEqual(defects[0].route, "/v1/posts")
      assert.match(defects[0].cause, /violates check constraint "posts_refused"/)
      assert.match(telemetry.lines, /The twitter target has ended: published/)
      assert.match((received.get("/v1/logs") ?? []).join("\n"), /The bluesky target has ended: rejected/)
      const spans = receivedSpans(received)
      const names = new Set(spans.map(({ name }) => name))
      assert.containsAllKeys(Object.fromEntries([...names].map((name) => [name, true])), [
        "POST /v1/posts",
        "GET /oauth/twitter/callback",
        "publishTarget",
        "Twitter.publish"
      ])
      assert.isFalse(spans.some(({ attributes }) => attributes.some((attribute) => attribute.key === "url.query")))
    })
  )
})
