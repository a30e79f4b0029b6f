import { DateTime, Result } from "effect"
import { Headers } from "effect/http"
import type { Answer, PlatformResponse } from "../../../src/platforms/call.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"
import { type Conformance, now } from "./conformance.ts"
import { makeJudge } from "./judge.ts"

/** Draws values. The same seed gives the same values. */
export interface Draw {
  readonly below: (limit: number) => number
  readonly of: <A>(from: ReadonlyArray<A>) => A
}

export const drawFrom = (seed: number): Draw => {
  const next = seededRandom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    of: (from) => {
      const value = from[below(from.length)]
      if (value === undefined) throw new Error("There is nothing to draw from")
      return value
    }
  }
}

const statuses = [
  200, 201, 202, 204, 301, 302, 400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 499, 500, 502, 503, 504
]

const drawStatus = ({ below, of }: Draw) => (below(3) === 0 ? 100 + below(500) : of(statuses))

const headerNames = ["date", "retry-after", "ratelimit-reset", "x-rate-limit-reset", "x-rate-limit-remaining"]
const headerValues = ["", "0", "-1", "7", "1e99", "9".repeat(30), "1900000000", "Thu, 31 Jan 2030 12:00:00 GMT", "soon"]

const drawHeaders = ({ below, of }: Draw) =>
  Headers.fromInput(Object.fromEntries(Array.from({ length: below(3) }, () => [of(headerNames), of(headerValues)])))

/** Responses of firewalls, gateways and other servers. */
const pages = [
  "",
  " ",
  "null",
  "[]",
  "7",
  '"no"',
  "{}",
  "<!doctype html><title>Access denied</title>",
  `<p>${"a".repeat(100_000)}</p>`,
  "[".repeat(50_000),
  '{"error":"unauthorized"}',
  '{"error":"Unauthorized","message":"Log in"}',
  '{"statusCode":429,"error":"TooManyRequests","message":"Slow down"}',
  '{"status":400,"error":"InvalidRequest","path":"/"}',
  '{"success":false,"errors":[{"code":10000,"message":"Authentication error"}]}',
  '{"type":"about:blank","title":"Forbidden","status":403,"instance":"/"}',
  '{"message":"Forbidden"}',
  '{"code":"forbidden","message":"No"}',
  '{"data":{}}',
  '{"__proto__":{"error":"InvalidRequest"},"constructor":7}'
]

const bodiesOf = (platform: Conformance): ReadonlyArray<string> =>
  makeJudge(platform).all.flatMap((answer) => (Result.isSuccess(answer) ? (answer.success.body ?? []) : []))

/** Draws responses in a format that is not the platform's: a stranger's, another platform's, or a truncated one. */
export const strangersOf = (platform: Conformance, others: ReadonlyArray<Conformance>) => {
  const own = bodiesOf(platform)
  const alike = platform.answers.alike.flatMap((answer) =>
    Result.isSuccess(answer) ? (answer.success.body ?? []) : []
  )
  const theirs = others.flatMap(bodiesOf)
  return (draw: Draw): Answer => {
    const body = draw.of<() => string | null>([
      () => draw.of(pages),
      () => draw.of(theirs),
      () => draw.of(alike),
      () => null,
      () => {
        const whole = draw.of(own)
        return whole.slice(0, draw.below(whole.length))
      }
    ])()
    return Result.succeed({ status: drawStatus(draw), headers: drawHeaders(draw), body })
  }
}

const values = [
  null,
  0,
  -1,
  1e308,
  "",
  "a".repeat(10_000),
  true,
  [],
  {},
  [null],
  { code: 385, message: null },
  "\ud800"
]

const change = (draw: Draw, value: unknown): unknown => {
  if (typeof value !== "object" || value === null || draw.below(4) === 0) return draw.of(values)
  const entries = Object.entries(value)
  const at = draw.below(entries.length + 1)
  const [name = draw.of(["error", "errors", "status", "title", "cid"]), old] = entries[at] ?? []
  return { ...value, [name]: change(draw, old) }
}

/** Draws responses like the platform's own, but with another status, other headers, or a changed member. */
export const likenessesOf = (platform: Conformance) => {
  const responses = makeJudge(platform).all.flatMap((answer): ReadonlyArray<PlatformResponse> =>
    Result.isSuccess(answer) ? [answer.success] : []
  )
  return (draw: Draw): Answer => {
    const { body, status } = draw.of(responses)
    return Result.succeed({
      status: draw.below(2) === 0 ? status : drawStatus(draw),
      headers: drawHeaders(draw),
      body:
        body === null || !body.startsWith("{") || draw.below(2) === 0
          ? body
          : JSON.stringify(change(draw, JSON.parse(body)))
    })
  }
}

/** Draws a time within some years. */
export const drawTime = ({ below, of }: Draw): DateTime.Utc =>
  DateTime.add(now, { seconds: of([0, 1, -1, below(100_000_000), -below(100_000_000)]) })
