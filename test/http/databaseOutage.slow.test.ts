import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Duration, Effect, Redacted, Schedule } from "effect"
import { Base64 } from "effect/encoding"
import { SqlClient } from "effect/sql"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { Scope } from "../../src/domain/people/apiKey.ts"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { sandboxApplication } from "../../src/platforms/twitter/standIn/tokenEndpoint.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { call, type TimedResponse } from "../chaos/support/calls.ts"
import { makeReplica } from "../chaos/support/replica.ts"
import { storedTargets } from "../chaos/support/storedTargets.ts"
import { type DisconnectMode, tcpProxy } from "../chaos/support/tcpProxy.ts"
import { encryptionKey, repoLayer } from "../chaos/support/world.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

// Starts early: it waits for timeouts of the database and of a drain.

/** Creates a workspace with an account on X and a key. */
const makeConnectedWorkspace = Effect.gen(function* () {
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

/** Starts the service as a process that reaches its database through a proxy, and publishes to the sandbox. */
const startService = Effect.fn("startService")(function* (pace = 1) {
  const direct = yield* freshDatabase
  const proxied = new URL(Redacted.value(direct))
  const proxy = yield* tcpProxy({ host: proxied.hostname, port: Number(proxied.port) })
  proxied.port = String(proxy.port)
  const { key } = yield* Effect.provide(makeConnectedWorkspace, repoLayer(direct))
  const { apiUrls } = yield* Sandbox
  const directory = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "service-"))),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
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
    accounts: call(`${service.url}/v1/integrations`, { key }),
    /** `at` in milliseconds. */
    schedule: (content: string, at: number, headers = {}) => {
      const body = { content, platforms: ["twitter"], schedule_at: DateTime.formatIso(DateTime.makeUnsafe(at)) }
      return call(posts, { method: "POST", key, headers, body })
    }
  }
})

const until = <A, R>(effect: Effect.Effect<A, never, R>, condition: (value: A) => boolean) =>
  Effect.repeat(effect, { until: condition, schedule: Schedule.spaced("50 millis") })

const includes = (text: string) => (posts: ReadonlyArray<{ readonly text: string }>) =>
  posts.some((post) => post.text === text)

/**
 * A database operation gives up after 8 s, and so does a process's drain. The limit is less than two of them in
 * sequence, and leaves time for a busy machine.
 */
const longestWait = 15_000

/** The duration of an effect, by the monotonic clock. */
const measureMillis = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([taken]) => Duration.toMillis(taken))

const assertUnavailable = ({ headers, status, text, took }: TimedResponse) => {
  assert.strictEqual(status, 503)
  assert.strictEqual(headers.get("content-type"), "application/problem+json")
  assert.match(headers.get("retry-after") ?? "", /^\d+$/)
  assert.strictEqual(JSON.parse(text).code, "unavailable")
  assert.isBelow(took, longestWait)
}

describe.concurrent("database outage", () => {
  const modes: ReadonlyArray<readonly [string, DisconnectMode]> = [
    ["refuses connections", "refused"],
    ["hangs", "silent"],
    ["is lost by the network with all its connections", "vanished"]
  ]
  for (const [title, mode] of modes) {
    it.live(
      `While the database ${title}, requests get a 503 once an operation has timed out, and after its return they succeed, due posts are published without a second timeout, and a repeated one is published once`,
      () =>
        Effect.gen(function* () {
          const { accounts, list, proxy, schedule, service } = yield* startService()
          const sandbox = yield* Sandbox
          const now = yield* Clock.currentTimeMillis
          assert.strictEqual((yield* schedule("Due meanwhile", now + 2_000)).status, 201)
          const repeated = schedule("Repeated", now, { "idempotency-key": "repeated" })
          yield* proxy.disconnect(mode)
          // More requests than the ordinary pool has connections, so that some wait for a connection, and many shared
          // reads.
          const responses = yield* Effect.all(
            [
              repeated,
              ...Array.from({ length: 30 }, () => list),
              ...Array.from({ length: 30 }, () => accounts),
              call(`${service.url}/readyz`)
            ],
            { concurrency: "unbounded" }
          )
          for (const response of responses) assertUnavailable(response)
          assert.strictEqual((yield* call(`${service.url}/healthz`)).status, 200)
          assert.deepStrictEqual(yield* sandbox.posts, [])
          yield* proxy.reconnect
          assert.isBelow(yield* measureMillis(until(list, ({ status }) => status === 200)), longestWait)
          assert.isBelow(yield* measureMillis(until(sandbox.posts, includes("Due meanwhile"))), longestWait)
          yield* service.ready
          // A frozen database stores what it was sent once it goes on, although its response comes too late.
          assert.strictEqual((yield* repeated).status, 201)
          yield* until(sandbox.posts, includes("Repeated"))
          assert.strictEqual(yield* service.end("SIGTERM"), 0)
          assert.deepStrictEqual((yield* sandbox.posts).map(({ text }) => text).toSorted(), [
            "Due meanwhile",
            "Repeated"
          ])
        }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped)
    )
  }
})

describe.concurrent("SIGTERM", () => {
  it.live(
    "The service ends once its drain has timed out although a platform hangs, and records an unknown outcome for the target in flight",
    () =>
      Effect.gen(function* () {
        const { direct, schedule, service } = yield* startService()
        const sandbox = yield* Sandbox
        yield* sandbox.faults.add({ platform: "twitter", fault: { kind: "hang" } })
        assert.strictEqual((yield* schedule("In flight", yield* Clock.currentTimeMillis)).status, 201)
        yield* sandbox.faults.met
        const ending = Effect.map(service.end("SIGTERM"), (code) => assert.strictEqual(code, 0))
        assert.isBelow(yield* measureMillis(ending), longestWait)
        assert.deepStrictEqual(
          (yield* storedTargets(direct)).map(({ code, status }) => [status, code]),
          [["pending", "outcome_unknown"]]
        )
      }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped)
  )
})

/** Locks the targets while an effect runs, so that every claim waits until it times out. */
const lockingTargets = <A, E, R>(url: Redacted.Redacted, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.withTransaction(Effect.andThen(sql`LOCK TABLE post_targets IN ACCESS EXCLUSIVE MODE`, effect))
  }).pipe(Effect.provide(PgClient.layer({ url })))

describe.concurrent("GET /readyz", () => {
  it.live(
    "A publisher without progress makes the service unready although the database responds, until it makes progress",
    () =>
      Effect.gen(function* () {
        const { direct, service } = yield* startService(30)
        const readyz = call(`${service.url}/readyz`)
        const { text } = yield* lockingTargets(
          direct,
          until(readyz, ({ status }) => status === 503)
        )
        assert.match(JSON.parse(text).detail, /^publisher: last tick \d+ s ago$/)
        yield* service.ready
      }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped)
  )
})
