import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import { withDatabaseTimeout } from "../../../src/repo/postgres/databaseErrors.ts"
import { TimeoutSocket } from "../../../src/repo/postgres/timeoutSocket.ts"
import { listenLocally } from "../../chaos/support/listenLocally.ts"

const timeout = Duration.millis(100)

/** The process does not run, as on a suspended machine. */
const suspend = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * Duration.toMillis(timeout))

const answerAndSuspend = (server: Socket) => {
  server.write("answer")
  suspend()
}

/** The parts of a wait in which the process is suspended and the answer arrives. */
const parts = [
  ["at the start of the wait", answerAndSuspend],
  [
    "in the last half of the wait",
    (server: Socket) => {
      suspend()
      // Called after the first half's timer, and before the second half's can be, however busy the machine is.
      setImmediate(answerAndSuspend, server)
    }
  ]
] as const

/** A connection that is open at both ends. */
const connect = Effect.gen(function* () {
  const opened = new Set<Socket>()
  const listener = createServer((socket) => {
    opened.add(socket)
    socket.write("open")
  })
  const url = new URL(`postgres://127.0.0.1:${yield* listenLocally(listener, opened)}`)
  const client = yield* Effect.acquireRelease(
    Effect.sync(() => new TimeoutSocket(url, timeout)),
    (socket) => Effect.sync(() => socket.destroy())
  )
  const answer = Effect.map(
    Effect.promise(() => once(client, "data")),
    String
  )
  assert.strictEqual(yield* answer, "open")
  const [socket] = opened
  const server = yield* Effect.fromNullishOr(socket)
  // From here on, timers are called before anything that arrives is read.
  yield* Effect.promise(() => new Promise(setImmediate))
  return { answer, client, server }
})

describe("A process that did not run for longer than a timeout", () => {
  it.live.each(parts)("reads the answer that has arrived over a connection, if it stops %s", ([, stop]) =>
    Effect.gen(function* () {
      const { answer, client, server } = yield* connect
      const reading = yield* Effect.forkChild(answer, { startImmediately: true })
      client.write("request")
      stop(server)
      assert.strictEqual(yield* Fiber.join(reading), "answer")
    })
  )

  it.live.each(parts)("takes the result of an operation, if it stops %s", ([, stop]) =>
    Effect.gen(function* () {
      const { answer, server } = yield* connect
      const operation = withDatabaseTimeout("reading", timeout)(answer)
      const reading = yield* Effect.forkChild(operation, { startImmediately: true })
      stop(server)
      assert.strictEqual(yield* Fiber.join(reading), "answer")
    })
  )
})
