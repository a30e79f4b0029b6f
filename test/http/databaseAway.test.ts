import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Redacted, Schedule } from "effect"
import { Base64 } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Scope } from "../../src/domain/apiKey.ts"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { sandboxApplication } from "../../src/sandbox/twitter/tokenEndpoint.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { call, type TimedResponse } from "../chaos/support/calls.ts"
import { makeReplica } from "../chaos/support/replica.ts"
import { storedTargets } from "../chaos/support/storedTargets.ts"
import { type Absence, tcpProxy } from "../chaos/support/tcpProxy.ts"
import { encryptionKey, repoLayer } from "../chaos/support/world.ts"
import { freshDatabase } from "../support/database.ts"

/** A workspace that has an account on X, and its key. */
const connect = Effect.gen(function* () {
  const { apiKeys, integrations, workspaces } = yield* Repo
  const { id } = yield* workspaces.create("A team")
  const account = yield* (yield* Sandbox).connect("twitter", "a team")
  yield* integrations.connect(id, { platform: "twitter", ...account })
  const key = yield* apiKeys.create({
    workspaceId: id,
    name: "",
    scopes: Scope.literals,
    requiresApproval: false,
    expiresIn: null
  })
  return { workspace: id satisfies WorkspaceId, key: Redacted.value(key.key) }
})

/** The service as a process of its own, which reaches its database through a proxy and posts to a sandbox. */
const startService = Effect.fn("startService")(function* (pace = 1) {
  const direct = yield* freshDatabase
  const proxied = new URL(Redacted.value(direct))
  const proxy = yield* tcpProxy({ host: proxied.hostname, port: Number(proxied.port) })
  proxied.port = String(proxy.port)
  const { key } = yield* Effect.provide(connect, repoLayer(direct))
  const { apiUrls } = yield* Sandbox
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "service-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
  )
  const service = yield* makeReplica({
    name: "service",
    pace,
    directory,
    env: {
      DATABASE_URL: proxied.href,
      ENCRYPTION_KEY: Base64.encode(encryptionKey),
      PLATFORMS: "live",
      RATE_LIMIT_PER_MINUTE: "1000000",
      TWITTER_API_URL: apiUrls.twitter,
      TWITTER_CLIENT_ID: sandboxApplication.clientId,
      TWITTER_CLIENT_SECRET: sandboxApplication.clientSecret
    }
  })
  yield* service.start
  yield* service.ready
  const posts = `${service.url}/v1/posts`
  return {
    direct,
    proxy,
    service,
    list: call(posts, { key }),
    schedule: (content: string, inMillis: number) =>
      Effect.gen(function* () {
        const schedule_at = DateTime.formatIso(DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + inMillis))
        return yield* call(posts, { method: "POST", key, body: { content, platforms: ["twitter"], schedule_at } })
      })
  }
})

const until = <A, R>(effect: Effect.Effect<A, never, R>, condition: (value: A) => boolean) =>
  Effect.repeat(effect, { until: condition, schedule: Schedule.spaced("50 millis") })

/** By the clock that, unlike that of the day, is never set. */
const millisOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([taken]) => Duration.toMillis(taken))

const assertUnavailable = ({ headers, status, text, took }: TimedResponse) => {
  assert.strictEqual(status, 503)
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.match(headers.get("retry-after") ?? "", /^\d+$/)
  assert.strictEqual(JSON.parse(text).code, "unavailable")
  assert.isBelow(took, 10_000)
}

describe.concurrent("while its database is away the service", () => {
  const absences: ReadonlyArray<readonly [string, Absence]> = [
    ["does not run", "refused"],
    ["is frozen and goes on later", "silent"],
    ["was lost by the network, with all connections to it", "vanished"]
  ]
  for (const [title, absence] of absences) {
    it.live(
      `answers 503 within ten seconds, serves within five of its return, and sends what fell due, where the database ${title}`,
      () =>
        Effect.gen(function* () {
          const { list, proxy, schedule, service } = yield* startService()
          const sandbox = yield* Sandbox
          assert.strictEqual((yield* schedule("Due meanwhile", 2_000)).status, 201)
          yield* proxy.away(absence)
          // More than there are connections, so that some wait for one.
          const answers = yield* Effect.all(
            [...Array.from({ length: 30 }, () => list), schedule("Refused", 0), call(`${service.url}/readyz`)],
            { concurrency: "unbounded" }
          )
          for (const answer of answers) assertUnavailable(answer)
          assert.strictEqual((yield* call(`${service.url}/healthz`)).status, 200)
          assert.deepStrictEqual(yield* sandbox.posts, [])
          yield* proxy.back
          assert.isBelow(yield* millisOf(until(list, ({ status }) => status === 200)), 5_000)
          assert.isBelow(yield* millisOf(until(sandbox.posts, (posts) => posts.length > 0)), 5_000)
          yield* service.ready
          assert.deepStrictEqual(
            (yield* sandbox.posts).map(({ text }) => text),
            ["Due meanwhile"]
          )
          assert.strictEqual(yield* service.end("SIGTERM"), 0)
        }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped),
      60_000
    )
  }
})

describe.concurrent("on SIGTERM the service", () => {
  it.live(
    "ends within ten seconds although a platform does not answer, and marks what it was sending",
    () =>
      Effect.gen(function* () {
        const { direct, schedule, service } = yield* startService()
        const sandbox = yield* Sandbox
        yield* sandbox.faults.add({ platform: "twitter", fault: { kind: "hang" } })
        yield* schedule("In flight", 0)
        yield* sandbox.faults.met
        const ending = Effect.map(service.end("SIGTERM"), (code) => assert.strictEqual(code, 0))
        assert.isBelow(yield* millisOf(ending), 10_000)
        assert.deepStrictEqual(
          (yield* storedTargets(direct)).map(({ code, status }) => [status, code]),
          [["pending", "outcome_unknown"]]
        )
      }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped),
    60_000
  )
})

/** Keeps every claim waiting until it is too late for it, while `act` runs. */
const holdingTargets = <A, E, R>(url: Redacted.Redacted, act: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(Effect.andThen(sql`LOCK TABLE post_targets IN ACCESS EXCLUSIVE MODE`, act))
  }).pipe(Effect.provide(PgClient.layer({ url })))

describe.concurrent("while its publisher makes no progress the service", () => {
  it.live(
    "says on /readyz that it is not ready, although the database answers, and is ready again when there is some",
    () =>
      Effect.gen(function* () {
        const { direct, service } = yield* startService(30)
        const readyz = call(`${service.url}/readyz`)
        const { text } = yield* holdingTargets(
          direct,
          until(readyz, ({ status }) => status === 503)
        )
        assert.match(JSON.parse(text).detail, /^publisher: last tick \d+ s ago$/)
        yield* service.ready
      }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped),
    60_000
  )
})
