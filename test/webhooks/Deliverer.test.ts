import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Exit, Fiber, Layer, Queue, Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { TestClock } from "effect/testing"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { createServer as createTlsServer } from "node:https"
import { Webhook } from "standardwebhooks"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { ResolveName } from "../../src/outbound/resolver.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { Deliverer } from "../../src/webhooks/Deliverer.ts"
import { dispatchAll } from "../../src/webhooks/webhookFibers.ts"
import { selfSignedCertificate } from "../http/node/selfSignedCertificate.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { deleteWebhooks, makeWebhook, recordEvents } from "../support/database/webhookFixtures.ts"
import { makeReceiver } from "./receiver.ts"
import { deliverDue, logOf, webhookLayer, withDeliverer } from "./world.ts"

/** A workspace with a webhook at a URL. */
const start = Effect.fn("start")(function* (url: string) {
  yield* deleteWebhooks
  const workspaceId = yield* makeWorkspace([])
  const { id, secret } = yield* makeWebhook(workspaceId, url)
  return { workspaceId, id, secret, log: logOf(workspaceId, id) }
})

/** What one attempt at a URL comes to. */
const attemptAt = Effect.fn("attemptAt")(function* (url: string) {
  const { log, workspaceId } = yield* start(url)
  yield* recordEvents(workspaceId, 1)
  yield* withDeliverer(deliverDue)
  const [delivery] = yield* log
  const [attempt] = delivery?.log ?? []
  return { delivery: delivery?.status, ...attempt }
}, Effect.scoped)

layer(webhookLayer)("Deliverer", (it) => {
  it.effect("An event arrives once, signed, and says what happened without a post's text", () =>
    Effect.gen(function* () {
      const { received, url } = yield* makeReceiver((response) => void response.writeHead(200).end("thanks"))
      const { log, secret, workspaceId } = yield* start(url)
      const [post] = yield* recordEvents(workspaceId, 1)
      yield* withDeliverer(deliverDue)
      const { body, headers } = yield* Queue.take(received)
      assert.strictEqual(headers["content-type"], "application/json")
      assert.match(headers["user-agent"] ?? "", /^social-publisher\//)
      const [delivery] = yield* log
      assert.strictEqual(headers["webhook-id"], delivery?.id)
      const { timestamp, ...rest } = JSON.parse(body)
      assert.strictEqual(body, JSON.stringify({ type: rest.type, timestamp, data: rest.data }))
      assert.deepStrictEqual(rest, { type: "post.deleted", data: { post_id: post } })
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
      const sentAt = new Date(Number(headers["webhook-timestamp"]) * 1000)
      const signature = new Webhook(Redacted.value(secret)).sign(headers["webhook-id"] ?? "", sentAt, body)
      assert.strictEqual(headers["webhook-signature"], signature)
      assert.deepInclude(delivery, { status: "delivered", attempts: 1, next_attempt_at: null })
      assert.deepInclude(delivery?.log[0], { status: 200, error: null, response: "thanks" })
      assert.strictEqual(yield* Queue.size(received), 0)
    })
  )

  it.effect("Statuses other than 2xx are failures, redirects too, and nothing follows them", () =>
    Effect.gen(function* () {
      const target = yield* makeReceiver()
      for (const status of [300, 301, 302, 307, 308, 400, 404, 429, 500, 503]) {
        const { url } = yield* makeReceiver(
          (response) => void response.writeHead(status, { location: target.url }).end(`status ${status}`)
        )
        const attempt = yield* attemptAt(url)
        assert.deepInclude(attempt, { delivery: "pending", status, error: null, response: `status ${status}` })
      }
      assert.strictEqual(yield* Queue.size(target.received), 0)
    })
  )

  it.effect("Of a body that does not end, the first kilobyte is kept", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver((response) => {
        response.writeHead(200)
        const more = () => {
          while (response.write("x".repeat(16_000))) {
            // As much as the connection takes.
          }
        }
        response.on("drain", more)
        more()
      })
      const attempt = yield* attemptAt(url)
      assert.deepInclude(attempt, { delivery: "delivered", status: 200, response: "x".repeat(1000) })
    })
  )

  it.effect("A body with bytes that are no text, or with NUL, is kept as far as it can be", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver(
        (response) => void response.writeHead(500).end(Buffer.from([0x61, 0x00, 0xff, 0x62]))
      )
      assert.deepInclude(yield* attemptAt(url), { status: 500, response: "a\uFFFD\uFFFDb" })
    })
  )

  it.effect("Connections that are refused or end without a response are failures with a reason", () =>
    Effect.gen(function* () {
      const { port, url } = yield* Effect.scoped(makeReceiver())
      const refused = yield* attemptAt(url)
      assert.deepInclude(refused, { delivery: "pending", status: null, response: "" })
      assert.strictEqual(refused.error, `127.0.0.1:${port} could not be reached: it refuses connections`)
      const cut = yield* makeReceiver((_response, _received, request) => void request.socket.destroy())
      assert.deepInclude(yield* attemptAt(cut.url), { delivery: "pending", status: null })
    })
  )

  it.effect("A certificate that nobody vouches for is a failure, and nothing is sent", () =>
    Effect.gen(function* () {
      let requests = 0
      const server = createTlsServer(selfSignedCertificate("hooks.example"), (_request, response) => {
        requests++
        response.end()
      })
      const port = yield* Effect.acquireRelease(
        Effect.callback<number>((resume) => {
          server.listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
          })
        }),
        () => Effect.sync(() => void server.close())
      )
      const attempt = yield* attemptAt(`https://127.0.0.1:${port}/`)
      assert.deepInclude(attempt, { delivery: "pending", status: null })
      assert.include(String(attempt.error), "could not be reached")
      assert.strictEqual(requests, 0)
    })
  )

  it.effect(
    "A receiver that does not respond within 15 seconds has failed, and its late response changes nothing",
    () =>
      Effect.gen(function* () {
        let respond = () => {}
        const { received, url } = yield* makeReceiver((response) => {
          respond = () => void response.writeHead(200).end()
        })
        const { log, workspaceId } = yield* start(url)
        yield* recordEvents(workspaceId, 1)
        yield* withDeliverer(
          Effect.gen(function* () {
            const { idle, tick } = yield* Deliverer
            yield* dispatchAll
            yield* tick
            yield* Queue.take(received)
            yield* TestClock.adjust("15 seconds")
            yield* idle
          })
        ).pipe(Effect.scoped)
        respond()
        const [delivery] = yield* log
        assert.deepInclude(delivery, { status: "pending", attempts: 1 })
        assert.deepInclude(delivery?.log[0], { status: null, duration_ms: 15_000 })
        assert.include(String(delivery?.log[0]?.error), "did not answer within 15 seconds")
      })
  )

  it.effect("A response whose body never ends counts by its status after two seconds", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver((response) => void response.writeHead(200).write("The beginning"))
      const opened = yield* Deferred.make<void>()
      const onHeaders = () => void Deferred.doneUnsafe(opened, Exit.void)
      yield* Effect.acquireRelease(
        Effect.sync(() => subscribe("undici:request:headers", onHeaders)),
        () => Effect.sync(() => void unsubscribe("undici:request:headers", onHeaders))
      )
      const attempting = yield* Effect.forkChild(attemptAt(url))
      yield* Deferred.await(opened)
      yield* TestClock.adjust("2 seconds")
      const attempt = yield* Fiber.join(attempting)
      assert.deepInclude(attempt, { delivery: "delivered", status: 200, duration_ms: 2000, response: "" })
    })
  )

  it.effect("Retry-After holds the webhook's other deliveries back too", () =>
    Effect.gen(function* () {
      let status = 429
      const { received, url } = yield* makeReceiver(
        (response) => void response.writeHead(status, { "retry-after": "60" }).end()
      )
      const { workspaceId } = yield* start(url)
      yield* recordEvents(workspaceId, 1)
      yield* withDeliverer(
        Effect.gen(function* () {
          yield* deliverDue
          yield* recordEvents(workspaceId, 1)
          yield* TestClock.adjust("59 seconds")
          yield* deliverDue
          assert.strictEqual(yield* Queue.size(received), 1)
          status = 200
          yield* TestClock.adjust("1 second")
          yield* deliverDue
          assert.strictEqual(yield* Queue.size(received), 3)
        })
      ).pipe(Effect.scoped)
    })
  )

  it.effect("410 disables the webhook, notifies the workspace, and nothing more is sent", () =>
    Effect.gen(function* () {
      const { received, url } = yield* makeReceiver((response) => void response.writeHead(410).end())
      const { id, workspaceId } = yield* start(url)
      yield* recordEvents(workspaceId, 1)
      yield* withDeliverer(deliverDue).pipe(Effect.scoped)
      const { notifications, webhooks } = yield* Repo
      assert.deepInclude(yield* webhooks.get(workspaceId, id), { enabled: false, disabled_reason: "gone" })
      const { data } = yield* notifications.page(workspaceId, 0, 10)
      assert.lengthOf(data, 1)
      assert.deepInclude(data[0], { type: "webhook.disabled", metadata: { webhook_id: id, reason: "gone" } })
      assert.notInclude(data[0]?.message ?? "", "token")
      yield* recordEvents(workspaceId, 1)
      yield* TestClock.adjust("1 day")
      yield* withDeliverer(deliverDue).pipe(Effect.scoped)
      assert.strictEqual(yield* Queue.size(received), 1)
    })
  )

  it.effect("What comes of an attempt at a former URL says nothing of the webhook at its URL now", () =>
    Effect.gen(function* () {
      let respond = () => {}
      const former = yield* makeReceiver((response) => {
        respond = () => void response.writeHead(410).end()
      })
      const present = yield* makeReceiver()
      const { id, log, workspaceId } = yield* start(former.url)
      const { webhooks } = yield* Repo
      yield* recordEvents(workspaceId, 1)
      yield* withDeliverer(
        Effect.gen(function* () {
          const { idle, tick } = yield* Deliverer
          yield* dispatchAll
          yield* tick
          yield* Queue.take(former.received)
          yield* webhooks.update(workspaceId, id, { url: present.url })
          respond()
          yield* idle
          yield* tick
          const { disabled_reason: reason, enabled, failing_since: since } = yield* webhooks.get(workspaceId, id)
          assert.deepStrictEqual([enabled, reason, since], [true, null, null])
          yield* TestClock.adjust("6 seconds")
          yield* deliverDue
        })
      ).pipe(Effect.scoped)
      assert.strictEqual(yield* Queue.size(present.received), 1)
      const [delivery] = yield* log
      assert.deepStrictEqual([delivery?.status, delivery?.log.map(({ status }) => status)], ["delivered", [410, 204]])
    })
  )

  it.effect("A response that ends in the middle of its body counts by its status", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver((_response, _received, { socket }) => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nno length\r\n")
      })
      assert.deepInclude(yield* attemptAt(url), { delivery: "delivered", status: 200, error: null })
    })
  )

  it.effect("A Retry-After of any length is honored up to a day", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver(
        (response) => void response.writeHead(429, { "retry-after": "9".repeat(400) }).end()
      )
      const { log, workspaceId } = yield* start(url)
      yield* recordEvents(workspaceId, 1)
      yield* withDeliverer(deliverDue).pipe(Effect.scoped)
      const next = (yield* log)[0]?.next_attempt_at ?? (yield* DateTime.now)
      assert.isAtLeast(Duration.toHours(DateTime.distance(yield* DateTime.now, next)), 23.9)
    })
  )

  it.effect.each(["2099-01-01T00:00:00Z", "2099-01-01", "1 Jan 2099", "86400.5", "-1", "tomorrow"])(
    "A Retry-After of %j, which is neither a number of seconds nor a time of HTTP, is passed over",
    (value) =>
      Effect.gen(function* () {
        const { url } = yield* makeReceiver((response) => void response.writeHead(503, { "retry-after": value }).end())
        const { log, workspaceId } = yield* start(url)
        yield* recordEvents(workspaceId, 1)
        yield* withDeliverer(deliverDue).pipe(Effect.scoped)
        const next = (yield* log)[0]?.next_attempt_at ?? null
        if (next === null) return assert.fail("It is not sent again")
        assert.isBelow(Duration.toSeconds(DateTime.distance(yield* DateTime.now, next)), 10)
      })
  )

  it.effect("Addresses inside the network are refused without a connection, however they are spelled", () =>
    Effect.gen(function* () {
      for (const host of ["10.0.0.1", "0xa9fea9fe", "[::ffff:10.0.0.1]", "2852039166", "[fd00::1]", "192.168.1"]) {
        const attempt = yield* attemptAt(`https://${host}/`)
        assert.deepInclude(attempt, { status: null, error: "The URL does not lead to a public address" }, host)
      }
    })
  )

  it.effect("A name that leads inside the network when it is connected to gets nothing, and is looked up once", () =>
    Effect.gen(function* () {
      const answers = [["10.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::1"]]
      const asked: Array<string> = []
      const resolver = Layer.succeed(ResolveName, (name: string) =>
        Effect.sync(() => {
          asked.push(name)
          return answers[asked.length - 1] ?? ["127.0.0.1"]
        })
      )
      const outbound = Outbound.layer({ loopback: false }).pipe(Layer.provide(resolver))
      for (const count of answers.map((_, index) => index + 1)) {
        const attempt = yield* attemptAt("https://rebinding.test/").pipe(Effect.provide(outbound))
        assert.deepInclude(attempt, { delivery: "pending", error: "The URL does not lead to a public address" })
        assert.lengthOf(asked, count)
      }
    })
  )

  it.effect("Headers that do not end are a failure, long before they fill the memory", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver((_response, _received, { socket }) => {
        const more = () => {
          while (!socket.destroyed && socket.write(`x-more: ${"x".repeat(1000)}\r\n`)) {
            // As much as the connection takes.
          }
        }
        socket.on("error", () => undefined).on("drain", more)
        socket.write("HTTP/1.1 200 OK\r\n")
        more()
      })
      const attempt = yield* attemptAt(url)
      assert.deepInclude(attempt, { delivery: "pending", status: null })
      assert.include(String(attempt.error), "could not be reached")
    })
  )

  it.effect("A process that stops waits for attempts in flight, and returns to the queue what takes too long", () =>
    Effect.gen(function* () {
      const { received, url } = yield* makeReceiver(() => undefined)
      const { log, workspaceId } = yield* start(url)
      yield* recordEvents(workspaceId, 2)
      const stops = yield* Deferred.make<void>()
      const stopping = yield* Effect.forkChild(
        withDeliverer(
          Effect.gen(function* () {
            yield* dispatchAll
            yield* (yield* Deliverer).tick
            yield* Queue.takeN(received, 2)
            yield* Deferred.succeed(stops, undefined)
          })
        ).pipe(Effect.scoped)
      )
      yield* Deferred.await(stops)
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(stopping)
      const due = (yield* log).map(({ attempts, status }) => [status, attempts])
      assert.deepStrictEqual(due, [
        ["pending", 0],
        ["pending", 0]
      ])
      assert.lengthOf(yield* (yield* Repo).webhooks.claim({ limit: 9, strained: 9 }, Duration.seconds(1)), 2)
    })
  )

  it.effect.each(["secret", "sealed_url"])(
    "A %s that can't be decrypted counts for nothing against its webhook, which gets its deliveries later",
    (column) =>
      Effect.gen(function* () {
        const { received, url } = yield* makeReceiver()
        const { id, log, workspaceId } = yield* start(url)
        const sql = yield* SqlClient.SqlClient
        const { webhooks } = yield* Repo
        yield* sql`UPDATE webhooks SET ${sql(column)} = 'x'::bytea || ${sql(column)} WHERE id = ${id}::uuid`
        yield* makeWebhook(workspaceId, url)
        yield* recordEvents(workspaceId, 6)
        yield* withDeliverer(
          Effect.gen(function* () {
            for (let minute = 0; minute < 3; minute++) {
              yield* deliverDue
              yield* TestClock.adjust("1 minute")
            }
            assert.strictEqual(yield* Queue.size(received), 6)
            for (const delivery of yield* log) assert.deepInclude(delivery, { status: "pending", attempts: 0, log: [] })
            assert.deepInclude(yield* webhooks.get(workspaceId, id), { enabled: true, failing_since: null })

            yield* sql`UPDATE webhooks SET ${sql(column)} = substring(${sql(column)} FROM 2) WHERE id = ${id}::uuid`
            yield* deliverDue
            assert.strictEqual(yield* Queue.size(received), 12)
          })
        ).pipe(Effect.scoped)
        assert.deepStrictEqual(
          [...new Set((yield* log).map(({ attempts, status }) => `${status} ${attempts}`))],
          ["delivered 1"]
        )
      })
  )

  it.effect("A webhook whose secret can't be decrypted is looked at once a minute, however much waits for it", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver()
      const { id, workspaceId } = yield* start(url)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE webhooks SET secret = 'x' WHERE id = ${id}::uuid`
      yield* recordEvents(workspaceId, 20)
      yield* withDeliverer(
        Effect.gen(function* () {
          const { idle, tick } = yield* Deliverer
          yield* dispatchAll
          assert.isAtMost(yield* Effect.tap(tick, idle), 4)
          yield* TestClock.adjust("59 seconds")
          assert.strictEqual(yield* tick, 0)
          yield* TestClock.adjust("1 second")
          assert.isAtLeast(yield* Effect.tap(tick, idle), 1)
        })
      ).pipe(Effect.scoped)
    })
  )

  it.effect("Where the database goes away while outcomes are written one by one, each counts once in the end", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver((response) => void response.writeHead(500).end())
      const { id, log, workspaceId } = yield* start(url)
      const repo = yield* Repo
      const sql = yield* SqlClient.SqlClient
      const sizes: Array<number> = []
      const settle: typeof repo.webhooks.settle = (outcomes) => {
        sizes.push(outcomes.length)
        if (sizes.length === 1) return Effect.die("A batch that can't be written")
        return sizes.length === 3
          ? Effect.fail(new DatabaseUnavailable({ operation: "settling deliveries", cause: "test" }))
          : repo.webhooks.settle(outcomes)
      }
      yield* recordEvents(workspaceId, 4)
      yield* withDeliverer(
        Effect.gen(function* () {
          const { idle, tick } = yield* Deliverer
          yield* dispatchAll
          yield* Effect.tap(tick, idle)
          const { _tag } = yield* Effect.flip(tick)
          assert.strictEqual(_tag, "DatabaseUnavailable")
          yield* tick
        })
      ).pipe(Effect.provideService(Repo, { ...repo, webhooks: { ...repo.webhooks, settle } }), Effect.scoped)
      assert.deepStrictEqual(sizes, [4, 1, 1, 3])
      assert.deepStrictEqual(yield* sql`SELECT failures FROM webhooks WHERE id = ${id}::uuid`, [{ failures: 4 }])
      for (const delivery of yield* log) assert.lengthOf(delivery.log, 1)
    })
  )

  it.effect("A webhook that somebody has locked holds up neither the other outcomes nor what is claimed", () =>
    Effect.gen(function* () {
      const { url } = yield* makeReceiver((response) => void response.writeHead(200).end())
      const { id, log, workspaceId } = yield* start(url)
      const neighbor = yield* makeWorkspace([])
      const other = yield* makeWebhook(neighbor, url)
      const repo = yield* Repo
      const reason = new SqlError.LockTimeoutError({ cause: "test" })
      const locked = new DatabaseUnavailable({ operation: "settling", cause: new SqlError.SqlError({ reason }) })
      let isLocked = true
      const settle: typeof repo.webhooks.settle = (outcomes) =>
        isLocked && outcomes.some(({ claim }) => claim.webhookId === id)
          ? Effect.fail(locked)
          : repo.webhooks.settle(outcomes)
      yield* recordEvents(workspaceId, 1)
      yield* recordEvents(neighbor, 1)
      yield* withDeliverer(
        Effect.gen(function* () {
          const { idle, tick } = yield* Deliverer
          yield* dispatchAll
          yield* Effect.tap(tick, idle)
          yield* recordEvents(neighbor, 1)
          yield* dispatchAll
          assert.strictEqual(yield* Effect.tap(tick, idle), 1)
          assert.lengthOf(yield* logOf(neighbor, other.id, "delivered"), 1)
          isLocked = false
          yield* tick
        })
      ).pipe(Effect.provideService(Repo, { ...repo, webhooks: { ...repo.webhooks, settle } }), Effect.scoped)
      assert.deepStrictEqual(
        (yield* log).map(({ attempts, status }) => [attempts, status]),
        [[1, "delivered"]]
      )
      assert.lengthOf(yield* logOf(neighbor, other.id, "delivered"), 2)
    })
  )
})
