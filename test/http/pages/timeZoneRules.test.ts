import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { offsetOf } from "../../../src/domain/plain/timeZone.ts"
import { call, send } from "../../support/http/client.ts"
import { startServer } from "../../support/http/server.ts"

const hour = 60 * 60 * 1000

describe("GET /time-zones", () => {
  it.effect("The rules are the newest that the service knows: British Columbia stays at seven hours behind UTC", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const { body } = yield* call(`${server}/time-zones?name=america/vancouver`, "GET")
      assert.strictEqual(body.name, "america/vancouver")
      assert.strictEqual(offsetOf(body, Date.UTC(2026, 0, 1)), -8 * hour)
      assert.strictEqual(offsetOf(body, Date.UTC(2026, 11, 1)), -7 * hour)
      assert.strictEqual(offsetOf(body, Date.UTC(2039, 11, 1)), -7 * hour)
      assert.isUndefined(offsetOf(body, Date.UTC(2040, 0, 1)))
    })
  )

  it.effect.each(["", "?name=", "?name=Mars/Base", "?name=%2B05:30", `?name=${"a".repeat(65)}`, "?name=%00"])(
    "A name that is no zone's has no rules: %j",
    (query) =>
      Effect.gen(function* () {
        const { status } = yield* send(`${yield* startServer()}/time-zones${query}`)
        assert.strictEqual(status, 404)
      })
  )

  it.effect("The page that requests name in their User-Agent says what they are", () =>
    Effect.gen(function* () {
      const { status, text } = yield* send(`${yield* startServer()}/fetches`)
      assert.strictEqual(status, 200)
      assert.include(text, "User-Agent")
    })
  )
})
