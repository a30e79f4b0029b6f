import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Repo } from "../../src/repo/Repo.ts"
import { sandboxAppPassword } from "../../src/platforms/bluesky/standIn/sessions.ts"
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

/** Everything that the test sends contains this word; with what surrounds it. */
const canary = /.{0,120}canary.{0,80}/gi

const text = (url: string, init: RequestInit = {}) => Effect.promise(async () => (await fetch(url, init)).text())

/** Repeats a request until the response matches, for as long as the test may last. */
const until = (url: string, pattern: RegExp) =>
  Effect.repeat(text(url), { until: (body) => pattern.test(body), schedule: Schedule.spaced("50 millis") })

const email = "canary@example.com"

/** Creates an admin of the workspace that the service has made. */
const makeUser = Effect.gen(function* () {
  const { users, workspaces } = yield* Repo
  const [workspace] = yield* workspaces.list
  assert.isDefined(workspace)
  if (workspace !== undefined) yield* users.create(workspace.id, email, Redacted.make(password), "admin")
})

/** Adds a constraint that posts violate: PostgreSQL quotes the row in the detail of its error. */
const refusePosts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE posts ADD CONSTRAINT posts_refused CHECK (content NOT LIKE '%refused%')`
})

type Send = (
  method: string,
  route: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>
) => Effect.Effect<string>

/** The secrets that responses show once: of keys, webhooks, invitations and decisions on accounts. */
const shownSecrets = (responses: string) =>
  [...responses.matchAll(/"secret":"(?:sps_|whsec_)?([^"]+)"|(?:\/invite#|"token":")([\w-]+)/g)].map(
    ([, secret, token]) => secret ?? token ?? ""
  )

const sameOrigin = { "sec-fetch-site": "same-origin" }

/** Does as an admin whatever shows or takes secrets. */
const administer = Effect.fn(function* (send: Send, cookie: string) {
  const asAdmin = (method: string, route: string, body?: unknown) =>
    send(method, route, body, { authorization: "", cookie, ...sameOrigin })
  const create = Effect.fnUntraced(function* (route: string, body: unknown) {
    const response = yield* asAdmin("POST", route, body)
    const [, id = ""] = /"id":"([^"]+)"/.exec(response) ?? []
    return { path: `${route}/${id}`, secret: /"secret":"([^"]+)"/.exec(response)?.[1] ?? "", response }
  })

  const key = yield* create("/v1/keys", { name: "canary" })
  yield* send("GET", "/v1/me", undefined, { authorization: `Bearer ${key.secret}` })
  yield* asAdmin("POST", `${key.path}/rotate`, {})
  yield* asAdmin("DELETE", key.path)
  yield* send("GET", "/v1/me", undefined, { authorization: `Bearer ${key.secret}` })

  const invited = { email: "canary.invited@example.com", role: "viewer" }
  const invite = yield* create("/v1/invites", invited)
  const [token = ""] = shownSecrets(invite.response)
  yield* send("POST", "/v1/invites/read", { token }, { authorization: "", ...sameOrigin })
  yield* send("POST", "/v1/invites/accept", { token, password: "canary" }, { authorization: "", ...sameOrigin })
  yield* send("POST", "/v1/invites/accept", { token, password }, { authorization: "", ...sameOrigin })
  yield* send("POST", "/v1/invites/accept", { token, password }, { authorization: "", ...sameOrigin })
  yield* asAdmin("POST", "/v1/invites", invited)
  yield* asAdmin("GET", "/v1/members")

  const webhook = yield* create("/v1/webhooks", { url: "https://canary.example/?canary", description: "canary" })
  yield* asAdmin("POST", `${webhook.path}/rotate-secret`, {})
  yield* asAdmin("POST", `${webhook.path}/test`)

  const login = { identifier: "canary.sandbox.test", app_password: "canary-app-password" }
  for (const body of [login, { ...login, app_password: ["canary"] }, { ...login, service: "https://pds.example" }]) {
    yield* asAdmin("POST", "/v1/integrations/bluesky", body)
  }
  yield* send("POST", "/sandbox/faults", {
    platform: "bluesky",
    call: "session",
    fault: { kind: "status", status: 500, detail: "canary-app-password is wrong" }
  })
  yield* asAdmin("POST", "/v1/integrations/bluesky", login)
  yield* asAdmin("POST", "/v1/integrations/bluesky", { ...login, app_password: sandboxAppPassword })
  const decision = { token: "canary", replaces: "canary", decision: "replace" }
  yield* asAdmin("POST", "/v1/integrations/decision", decision)
})

/** Uses everything in the service that handles secrets or contents. Returns the responses and the metrics. */
const useAll = Effect.fn(function* (base: string, key: string, cookie: string) {
  const responses: Array<string> = []
  const send: Send = (method, route, body, { authorization = `Bearer ${key}`, ...others } = {}) =>
    Effect.tap(
      text(`${base}${route}`, {
        method,
        headers: { "content-type": "application/json", ...others, ...(authorization !== "" && { authorization }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
      }),
      (response) => Effect.sync(() => responses.push(response))
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
  yield* send("POST", "/v1/session", { email, password: "canary canary canary" })
  yield* send("GET", "/oauth/twitter/callback?code=canary&state=canary")
  yield* administer(send, cookie)
  for (const route of ["/v1/posts", "/v1/integrations", "/v1/notifications", "/sandbox"]) yield* send("GET", route)
  return { responses, metrics: yield* text(`${base}/metrics`) }
})

describe("Logs, traces and metrics at the most verbose level", () => {
  it.live(
    "Logs, traces and metrics contain no contents, credentials, keys, cookies, passwords, addresses, invitations or queries",
    () =>
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
        // A test that times out leaves no process behind.
        const service = yield* Effect.acquireRelease(
          Effect.sync(() => runProgram("src/main.ts", [], env)),
          ({ ended, kill }) =>
            Effect.andThen(
              Effect.sync(() => kill("SIGKILL")),
              Effect.promise(() => ended)
            )
        )
        // The greeting, which has the key, ends with the last of its requests and an empty line.
        const [greeting] = yield* Effect.promise(() => service.printed(/^\nListening on [^]*A picture at .*\n\n/))
        const [, key = ""] = /API key {5}(\S+)/.exec(greeting) ?? []
        yield* Effect.provide(makeUser, repoLayer(url))
        const loggedIn = yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/v1/session`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ email, password })
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
        const shown = shownSecrets(responses.join("\n"))
        // Two keys, two secrets of a webhook, an invitation, and the token of a decision between two accounts.
        assert.lengthOf(shown, 6, responses.join("\n"))
        const databasePassword = new URL(Redacted.value(url)).password
        const secrets = [
          key,
          cookie.slice("session=".length),
          encryptionKey,
          databasePassword,
          sandboxAppPassword,
          ...tokens,
          ...shown
        ].filter(Boolean)

        const lines = output.trimEnd().split("\n")
        const telemetry = {
          lines: lines.join("\n"),
          errors: errors.slice(greeting.length),
          metrics,
          exported: [...received.values()].flat().join("\n")
        }
        for (const [where, output] of Object.entries(telemetry)) {
          assert.deepStrictEqual(output.match(canary) ?? [], [], where)
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
