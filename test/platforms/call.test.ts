import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import packageJson from "../../package.json" with { type: "json" }
import { explainFailure } from "../../src/outbound/errors.ts"
import { UserAgent, userAgent } from "../../src/outbound/userAgent.ts"
import { isNotSent, makeCall, maxBodyBytes } from "../../src/platforms/call.ts"

const error = (more: object) => Object.assign(new Error("failed"), more)

describe("isNotSent", () => {
  it.each([
    ["a refused connection", error({ code: "ECONNREFUSED", syscall: "connect" })],
    ["a timeout while connecting", error({ code: "ETIMEDOUT", syscall: "connect" })],
    ["an unknown host name", error({ code: "ENOTFOUND", syscall: "getaddrinfo" })],
    ["undici's timeout while connecting", error({ code: "UND_ERR_CONNECT_TIMEOUT" })],
    ["an expired certificate", error({ code: "CERT_HAS_EXPIRED" })],
    [
      "a refused connection to every address",
      error({ code: "ECONNREFUSED", errors: [error({ code: "ECONNREFUSED", syscall: "connect" })] })
    ],
    [
      "a refused connection that fetch wraps",
      new TypeError("fetch failed", { cause: error({ code: "ECONNREFUSED", syscall: "connect" }) })
    ]
  ])("%s certainly happened before anything was sent", (_, cause) => assert.isTrue(isNotSent(cause)))

  it.each([
    ["a connection reset", error({ code: "ECONNRESET", syscall: "read" })],
    ["a timeout of an open connection", error({ code: "ETIMEDOUT", syscall: "read" })],
    ["a host that became unreachable", error({ code: "EHOSTUNREACH", syscall: "write" })],
    ["a connection closed by the other side", error({ code: "UND_ERR_SOCKET" })],
    ["a code without the system call", error({ code: "ECONNREFUSED" })],
    [
      "a connection of several addresses that was lost after it was open",
      error({
        errors: [error({ code: "ECONNREFUSED", syscall: "connect" }), error({ code: "ECONNRESET", syscall: "read" })]
      })
    ],
    ["an error without a code", new Error("failed")],
    ["an undefined error", undefined]
  ])("%s may have happened after something was sent", (_, cause) => assert.isFalse(isNotSent(cause)))
})

describe("Why a request failed, in words", () => {
  it("A code within the cause of an error is explained, and one that has no words is told as it is", () => {
    assert.strictEqual(
      explainFailure(new Error("outer", { cause: error({ code: "ECONNRESET" }) })),
      ": the connection was cut"
    )
    assert.strictEqual(explainFailure(error({ code: "constructor" })), " (constructor)")
    assert.strictEqual(explainFailure("nothing"), "")
  })
})

describe("makeCall", () => {
  /** Answers with the User-Agent of the request. */
  const mirror = HttpClient.make((request) =>
    Effect.succeed(HttpClientResponse.fromWeb(request, new Response(request.headers["user-agent"] ?? "none")))
  )

  it.effect("The longest body that is taken is read whole, and of a longer one the status alone", () =>
    Effect.gen(function* () {
      const answer = (length: number) =>
        HttpClient.make((request) =>
          Effect.succeed(HttpClientResponse.fromWeb(request, new Response("a".repeat(length), { status: 201 })))
        )
      const bodyOf = (length: number) =>
        Effect.map(makeCall(answer(length), "X")(HttpClientRequest.get("https://api.x.com/2/users/me")), (response) => [
          response.status,
          response.body?.length
        ])
      assert.deepStrictEqual(yield* bodyOf(maxBodyBytes), [201, maxBodyBytes])
      assert.deepStrictEqual(yield* bodyOf(maxBodyBytes + 1), [201, undefined])
    })
  )

  it.effect("A request names this service, its version and the address of its operator", () =>
    Effect.gen(function* () {
      const call = makeCall(mirror, "X")(HttpClientRequest.get("https://api.x.com/2/users/me"))
      const expected = `social-publisher/${packageJson.version}`
      assert.strictEqual((yield* call).body, expected)
      const named = Effect.provideService(call, UserAgent, userAgent("https://posts.example"))
      assert.strictEqual((yield* named).body, `${expected} (+https://posts.example)`)
    })
  )
})
