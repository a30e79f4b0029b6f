import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { lifetimeOf, lifetimeOfJwt } from "../../src/platforms/accessLifetime.ts"

const jwtOf = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`
const twoHours = { lifetime: Duration.hours(2) }

describe("How long access lasts", () => {
  it("is the number of seconds that a platform says", () => {
    assert.deepStrictEqual(lifetimeOf(7_200), twoHours)
  })

  it("is unknown where the platform says nothing that can be right", () => {
    for (const seconds of [undefined, null, "7200", 0, -1, 599, 1e9, Number.NaN])
      assert.deepStrictEqual(lifetimeOf(seconds), {})
  })

  it("is told by the claims of an access JWT, by its issuer's clock alone", () => {
    assert.deepStrictEqual(lifetimeOfJwt(jwtOf({ iat: 1_000, exp: 8_200, sub: "did:plc:a" })), twoHours)
  })

  it("is unknown where an access token is no such JWT", () => {
    for (const token of [
      "",
      "opaque",
      "a.b.c",
      "a.!.c",
      jwtOf(null),
      jwtOf({ exp: 8_200 }),
      jwtOf({ iat: "1", exp: 8_200 })
    ]) {
      assert.deepStrictEqual(lifetimeOfJwt(token), {})
    }
  })
})
