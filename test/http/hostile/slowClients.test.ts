import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Schedule } from "effect"
import { apiKey, startServer } from "../../support/http/server.ts"
import { connectRaw, type RawConnection } from "../../support/http/rawConnection.ts"
import { bodyOf } from "./world.ts"

/** Sends a byte every so often, for as long as the connection takes them. */
const dribble = (connection: RawConnection) =>
  Effect.sync(() => connection.send("a")).pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.forkScoped)

const seconds = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.timed(effect), ([taken]) => Duration.toSeconds(taken))

const tooSlow = { status: 408, code: "request_timeout", detail: "The request took too long to arrive" }

const assertTooSlow = Effect.fnUntraced(function* (connection: RawConnection) {
  const answer = yield* connection.answer
  assert.strictEqual(answer?.status, 408)
  if (answer !== undefined) assert.deepStrictEqual(bodyOf(answer), tooSlow)
  yield* connection.closed
})

describe("a client that is slow", () => {
  it.live(
    "is told so and hung up on, whether it is slow with headers or with a body",
    () =>
      Effect.gen(function* () {
        const url = yield* startServer()
        const authorized = `POST /v1/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nContent-Length: 100000\r\n\r\n`

        const connecting = connectRaw(url)
        const beginning = Effect.tap(connecting, (one) =>
          Effect.sync(() => one.send("GET /healthz HTTP/1.1\r\nHost: a\r\nX: "))
        )
        const dribblingHeaders = Effect.tap(beginning, dribble)
        const announcing = Effect.tap(connecting, (one) => Effect.sync(() => one.send(authorized)))
        const dribblingBody = Effect.tap(announcing, dribble)

        const all = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
          Effect.all(effects, { concurrency: "unbounded" })
        const endings = (ways: ReadonlyArray<typeof connecting>) =>
          all(ways.map((way) => seconds(Effect.flatMap(way, assertTooSlow))))
        const [headers, bodies] = yield* Effect.all(
          [endings([connecting, beginning, dribblingHeaders]), endings([announcing, dribblingBody])],
          { concurrency: "unbounded" }
        )
        for (const taken of headers) assert.isTrue(taken >= 9 && taken < 20, `${taken} s for headers`)
        for (const taken of bodies) assert.isTrue(taken >= 29 && taken < 45, `${taken} s for a body`)
      }),
    60_000
  )
})
