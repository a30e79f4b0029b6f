import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Schedule } from "effect"
import { connectRaw, type RawConnection } from "../../support/http/rawConnection.ts"
import { apiKey, startServer } from "../../support/http/server.ts"
import { capturedTelemetryLayer, Log } from "../../support/telemetry/capturedTelemetry.ts"
import { comparableBody } from "./hostileWorld.ts"

// Starts early: it waits for the timeouts of slow requests.

/** Sends a byte every 200 ms while the connection accepts bytes. */
const trickle = (connection: RawConnection) =>
  Effect.sync(() => connection.send("a")).pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.forkScoped)

const timeout = { status: 408, code: "request_timeout", detail: "The request took too long to arrive" }

const assertTimesOut = Effect.fnUntraced(function* (connection: RawConnection) {
  const response = yield* connection.response
  assert.strictEqual(response?.status, 408)
  if (response !== undefined) assert.deepStrictEqual(comparableBody(response), timeout)
  yield* connection.closed
})

describe("slow clients (slowloris)", () => {
  it.live(
    "A client that is slow to send its headers or its body gets a 408, which is logged, and is cut off even if it keeps sending",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer()
        const head = `POST /v1/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: 100000\r\n\r\n`

        const connect = connectRaw(url)
        const connectAndSend = (bytes: string) =>
          Effect.tap(connect, (connection) => Effect.sync(() => connection.send(bytes)))
        const startHeaders = connectAndSend("GET /healthz HTTP/1.1\r\nHost: a\r\nX: ")
        const startBody = connectAndSend(head)

        const measureTimeouts = (clients: ReadonlyArray<typeof connect>) =>
          Effect.forEach(
            clients,
            (client) =>
              Effect.map(Effect.timed(Effect.flatMap(client, assertTimesOut)), ([taken]) => Duration.toSeconds(taken)),
            { concurrency: "unbounded" }
          )
        const [headers, bodies] = yield* Effect.all(
          [
            measureTimeouts([connect, startHeaders, Effect.tap(startHeaders, trickle)]),
            measureTimeouts([startBody, Effect.tap(startBody, trickle)])
          ],
          { concurrency: "unbounded" }
        )
        for (const taken of headers) assert.isTrue(taken >= 9 && taken < 20, `${taken} s for headers`)
        for (const taken of bodies) assert.isTrue(taken >= 29 && taken < 45, `${taken} s for a body`)
        // A request without complete headers never reaches the router.
        const logged = Effect.map(Log, (lines) => lines.map(({ message }) => message))
        const lines = yield* Effect.repeat(logged, {
          until: ({ length }) => length >= 2,
          schedule: Schedule.spaced("10 millis")
        })
        assert.deepStrictEqual(lines, ["POST /v1/posts 408", "POST /v1/posts 408"])
      }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
