import { assert, describe, it } from "@effect/vitest"
import { errorCode, isNotSent } from "../../src/platforms/call.ts"

const error = (more: object) => Object.assign(new Error("failed"), more)

describe("isNotSent", () => {
  it.each([
    ["a refused connection", error({ code: "ECONNREFUSED", syscall: "connect" })],
    ["a time-out while connecting", error({ code: "ETIMEDOUT", syscall: "connect" })],
    ["an unknown name", error({ code: "ENOTFOUND", syscall: "getaddrinfo" })],
    ["undici's time-out while connecting", error({ code: "UND_ERR_CONNECT_TIMEOUT" })],
    ["an expired certificate", error({ code: "CERT_HAS_EXPIRED" })],
    [
      "every address refused",
      error({ code: "ECONNREFUSED", errors: [error({ code: "ECONNREFUSED", syscall: "connect" })] })
    ],
    ["what fetch wraps", new TypeError("fetch failed", { cause: error({ code: "ECONNREFUSED", syscall: "connect" }) })]
  ])("is certain for %s", (_, cause) => assert.isTrue(isNotSent(cause)))

  it.each([
    ["a connection reset", error({ code: "ECONNRESET", syscall: "read" })],
    ["a time-out of a connection", error({ code: "ETIMEDOUT", syscall: "read" })],
    ["a host that became unreachable", error({ code: "EHOSTUNREACH", syscall: "write" })],
    ["the other side closing", error({ code: "UND_ERR_SOCKET" })],
    ["a code without a place", error({ code: "ECONNREFUSED" })],
    [
      "one address that failed later",
      error({
        errors: [error({ code: "ECONNREFUSED", syscall: "connect" }), error({ code: "ECONNRESET", syscall: "read" })]
      })
    ],
    ["an error that says nothing", new Error("failed")],
    ["no error at all", undefined]
  ])("is not certain for %s", (_, cause) => assert.isFalse(isNotSent(cause)))
})

describe("errorCode", () => {
  it("is found inside what wraps it", () => {
    assert.strictEqual(errorCode(new Error("outer", { cause: error({ code: "ECONNRESET" }) })), "ECONNRESET")
    assert.isUndefined(errorCode("nothing"))
  })
})
