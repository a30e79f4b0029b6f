import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Headers } from "effect/http"
import { TestClock } from "effect/testing"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import { IntegrationId, TargetId } from "../../../src/domain/ids.ts"
import { noFiles } from "../../../src/platforms/MediaFiles.ts"
import type { Account } from "../../../src/platforms/PlatformClient.ts"
import { makeTwitterAdapter } from "../../../src/platforms/twitter/adapter.ts"
import { makePostLimits } from "../../../src/platforms/twitter/postLimits.ts"
import { encodeTokens } from "../../../src/platforms/twitter/tokens.ts"

const noon = Date.UTC(2030, 0, 31, 12)
const seconds = (time: number) => String(time / 1000)
const minute = 60_000

const ada = { accountId: "ada" }
const bob = { accountId: "bob" }

/** The headers of X's limit of 15 minutes. */
const limited = (
  remaining: string,
  reset: string = seconds(noon + 10 * minute),
  more: Readonly<Record<string, string>> = {}
) => ({
  headers: Headers.fromInput({
    "x-rate-limit-limit": "100",
    "x-rate-limit-remaining": remaining,
    "x-rate-limit-reset": reset,
    ...more
  })
})

const daily = (of: "user" | "app", remaining: number) => ({
  headers: Headers.fromInput({
    [`x-${of}-limit-24hour-remaining`]: String(remaining),
    [`x-${of}-limit-24hour-reset`]: seconds(noon + 600 * minute)
  })
})

/** A memory at noon, with what it knows as the remaining posts and the minutes until the reset. */
const memory = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const { note, of } = yield* makePostLimits
  const known = (account = ada) =>
    of(account).map(({ remaining, until }) => [remaining, (DateTime.toEpochMillis(until) - noon) / minute])
  return { known, note, of }
})

describe("What X said last of how many posts it takes", () => {
  it.effect("is known of the account alone until the limit is reset, and in words for people", () =>
    Effect.gen(function* () {
      const { known, note, of } = yield* memory
      note(ada, limited("18"))
      assert.deepStrictEqual(of(ada), [
        {
          message: "X accepts only 18 more posts from this account for now",
          remaining: 18,
          limit: 100,
          until: DateTime.makeUnsafe(noon + 10 * minute)
        }
      ])
      assert.deepStrictEqual(known(bob), [])
      note(ada, limited("0"))
      assert.strictEqual(of(ada)[0]?.message, "X accepts no more posts from this account for now")
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(known(), [])
    })
  )

  it.effect("is not changed by a response that says nothing of it, or nothing that can be read", () =>
    Effect.gen(function* () {
      const { known, note } = yield* memory
      note(ada, { headers: Headers.empty })
      assert.deepStrictEqual(known(), [])
      note(ada, limited("18"))
      for (const headers of [
        Headers.empty,
        limited("-3").headers,
        limited("many").headers,
        limited("").headers,
        limited("1e3").headers,
        limited("18.5").headers,
        limited("12, 13").headers,
        limited("9".repeat(40)).headers,
        limited("90", "soon").headers,
        limited("90", "-5").headers,
        limited("90", "").headers,
        Headers.fromInput({ "x-rate-limit-remaining": "90" }),
        Headers.fromInput({ "x-rate-limit-reset": seconds(noon + minute) })
      ]) {
        note(ada, { headers })
        assert.deepStrictEqual(known(), [[18, 10]], JSON.stringify(headers))
      }
    })
  )

  it.effect("ends a minute after its period at the latest, whatever X says, and at once where the reset is past", () =>
    Effect.gen(function* () {
      const { known, note } = yield* memory
      note(ada, limited("18", "999999999999"))
      assert.deepStrictEqual(known(), [[18, 16]])
      note(ada, limited("18", seconds(noon - minute)))
      assert.deepStrictEqual(known(), [])
    })
  )

  it.effect("is the fewest that a response of the period had, in whatever order they come, until the next period", () =>
    Effect.gen(function* () {
      const { known, note } = yield* memory
      note(ada, limited("17"))
      note(ada, limited("18", undefined, { date: new Date(noon - 1000).toUTCString() }))
      assert.deepStrictEqual(
        known().map(([remaining]) => remaining),
        [17]
      )
      note(ada, limited("99", seconds(noon + 11 * minute)))
      assert.deepStrictEqual(known(), [[99, 11]])
    })
  )

  it.effect("goes by X's clock, where that differs from this process's", () =>
    Effect.gen(function* () {
      const { known, note } = yield* memory
      const date = new Date(noon - 2 * minute).toUTCString()
      note(ada, limited("18", seconds(noon + 8 * minute), { date }))
      assert.deepStrictEqual(known(), [[18, 10]])
    })
  )

  it.effect("has a day's limit of the account, and that of the application for every account", () =>
    Effect.gen(function* () {
      const { known, note, of } = yield* memory
      note(ada, limited("90"))
      note(ada, daily("user", 12))
      note(bob, daily("app", 7))
      assert.deepStrictEqual(known(), [
        [90, 10],
        [12, 600],
        [7, 600]
      ])
      assert.deepStrictEqual(known(bob), [[7, 600]])
      assert.strictEqual(of(bob)[0]?.message, "X accepts only 7 more posts from this application for now")
    })
  )

  it.effect("is kept of 10,000 limits, and those are forgotten that X spoke of longest ago", () =>
    Effect.gen(function* () {
      const { known, note } = yield* memory
      note(ada, limited("18"))
      note(bob, limited("18"))
      for (let other = 0; other < 9998; other++) note({ accountId: String(other) }, limited("5"))
      note(ada, limited("17"))
      note({ accountId: "one more" }, limited("5"))
      assert.deepStrictEqual([known(), known(bob)], [[[17, 10]], []])
    })
  )
})

const account: Account = {
  ...ada,
  integrationId: IntegrationId.make("01a1fc17-0000-7000-8000-000000000003"),
  username: "ada",
  serviceUrl: null,
  credentials: {
    current: Effect.succeed(encodeTokens({ accessToken: "token", refreshToken: null })),
    refresh: () => Effect.die("Unexpected renewal")
  },
  files: noFiles,
  others: { published: () => Effect.succeed(new Set()), unresolved: () => Effect.succeed([]) }
}

/** The responses to a post that carry the limit. */
const responses = [
  ["success", 201, { data: { id: "7" } }],
  ["a refusal", 403, { title: "Forbidden", detail: "You may not" }],
  ["an invalid request", 400, { title: "Invalid Request", detail: "Invalid" }],
  ["a rate limit", 429, { title: "Too Many Requests", detail: "Later" }],
  ["an overload", 503, { title: "Service Unavailable", type: "about:blank", detail: "Later" }]
] as const

/** X's adapter with a memory. X gives the same response to everything. */
const answering = Effect.fnUntraced(function* (status: number, body: unknown) {
  yield* TestClock.setTime(noon)
  const response = { status, ...limited("18"), body: JSON.stringify(body) }
  const adapter = makeTwitterAdapter(
    { apiUrl: "https://x.test", webUrl: "https://x.test", clientId: "client", clientSecret: null },
    () => Effect.succeed(response),
    yield* makePostLimits
  )
  const target = { targetId: TargetId.make("01a1fc17-0000-7000-8000-0000000a1b2c"), text: "Hello", settings: {} }
  const prepared = yield* adapter.prepare(target, account)
  const remaining = () => adapter.postLimits?.of(account).map((limit) => limit.remaining)
  assert.deepStrictEqual(remaining(), [])
  return { adapter, prepared, remaining }
})

describe("X's adapter learns how many posts remain", () => {
  it.effect.each(responses)("from %s to a post", ([, status, body]) =>
    Effect.gen(function* () {
      const { adapter, prepared, remaining } = yield* answering(status, body)
      yield* Effect.ignore(sendPost(adapter, prepared, account))
      assert.deepStrictEqual(remaining(), [18])
    })
  )

  it.effect("but not from a timeline, which has a limit of its own", () =>
    Effect.gen(function* () {
      const { adapter, prepared, remaining } = yield* answering(200, { meta: { result_count: 0 } })
      yield* adapter.find(prepared, account, DateTime.makeUnsafe(noon))
      assert.deepStrictEqual(remaining(), [])
    })
  )
})
