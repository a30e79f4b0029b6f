import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { makeGuardedConnector } from "../../src/outbound/connector.ts"
import { refusalIn } from "../../src/outbound/errors.ts"
import { GuardedHttpClient } from "../../src/outbound/GuardedHttpClient.ts"
import { ResolveName } from "../../src/outbound/resolver.ts"
import { isNotSent } from "../../src/platforms/call.ts"
import { innerServer } from "./innerServer.ts"

const strict = { http: false, anyPort: false, loopback: false }
const open = { http: true, anyPort: true, loopback: true }

/** Names resolve to each of `answers` in turn. */
const resolveTo = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
  const left = [...answers]
  return Layer.succeed(ResolveName, () => Effect.sync(() => left.shift() ?? []))
}

describe("GuardedHttpClient", () => {
  it.live("A request goes to the address that was checked, although the name leads elsewhere a moment later", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* innerServer((_, response) => {
        response.setHeader("connection", "close")
        response.end("hello")
      })
      const client = yield* GuardedHttpClient
      const url = `http://rebinding.test:${port}/`
      assert.strictEqual(yield* Effect.flatMap(client.get(url), ({ text }) => text), "hello")
      // Now the name server answers with a private address, alone and beside the first one.
      assert.strictEqual(refusalIn(yield* Effect.flip(client.get(url)))?._tag, "AddressRefused")
      assert.strictEqual(refusalIn(yield* Effect.flip(client.get(url)))?._tag, "AddressRefused")
      assert.strictEqual(requests(), 1)
    }).pipe(
      Effect.provide(
        GuardedHttpClient.layer(open).pipe(
          Layer.provide(resolveTo(["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["127.0.0.1"]))
        )
      )
    )
  )

  it.live("Clients of one process connect by their own policies, whichever was made first", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* innerServer((_, response) => void response.end())
      const memoMap = yield* Layer.makeMemoMap
      const scope = yield* Effect.scope
      const clientOf = (loopback: boolean) => {
        const client = GuardedHttpClient.layer({ http: true, anyPort: true, loopback })
        const layer = Layer.provide(client, resolveTo(["127.0.0.1"]))
        return Effect.map(Layer.buildWithMemoMap(layer, memoMap, scope), Context.get(GuardedHttpClient))
      }
      const url = `http://inner.test:${port}/`
      yield* (yield* clientOf(true)).get(url)
      const error = yield* Effect.flip((yield* clientOf(false)).get(url))
      assert.strictEqual(refusalIn(error)?._tag, "AddressRefused")
      assert.strictEqual(requests(), 1)
    }).pipe(Effect.scoped)
  )

  it.live("A refused request counts as one that was not sent", () =>
    Effect.gen(function* () {
      const client = yield* GuardedHttpClient
      for (const url of ["https://127.0.0.1/", "https://inner.test/", "file:///etc/passwd", "http://example.com/"]) {
        const error = yield* Effect.flip(client.get(url))
        assert.strictEqual(refusalIn(error)?._tag, "AddressRefused", url)
        assert.isTrue(error.reason._tag === "TransportError" && isNotSent(error.reason.cause), url)
      }
    }).pipe(Effect.provide(GuardedHttpClient.layer(strict).pipe(Layer.provide(resolveTo(["127.0.0.1"])))))
  )

  it.live("The connector itself refuses IP addresses, for which no name is looked up", () =>
    Effect.gen(function* () {
      const { port, requests } = yield* innerServer((_, response) => void response.end())
      const connect = yield* makeGuardedConnector(strict)
      for (const hostname of ["127.0.0.1", "::1", "[::1]", "::ffff:127.0.0.1", "10.0.0.1", "localhost"]) {
        const error = yield* Effect.callback<unknown>((resume) => {
          connect({ hostname, protocol: "http:", port: String(port) }, (...[failure]) =>
            resume(Effect.succeed(failure))
          )
        })
        assert.strictEqual(refusalIn(error)?._tag, "AddressRefused", hostname)
      }
      assert.strictEqual(requests(), 0)
    })
  )

  it.live("A name that has no address can't be reached", () =>
    Effect.gen(function* () {
      const client = yield* GuardedHttpClient
      assert.strictEqual((yield* Effect.flip(client.get("https://nowhere.test/"))).reason._tag, "TransportError")
    }).pipe(Effect.provide(GuardedHttpClient.layer(strict).pipe(Layer.provide(resolveTo()))))
  )
})
