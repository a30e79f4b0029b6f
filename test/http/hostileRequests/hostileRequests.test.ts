import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { maxTagLength } from "../../../src/domain/plain/limits.ts"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"
import { bodyFields } from "./bodyFields.ts"
import { credentials } from "./credentials.ts"
import { encodings } from "./encodings.ts"
import { headers } from "./headers.ts"
import type { ExpectedResponse, HostileCase } from "./hostileCase.ts"
import { comparableBody, countChanges, HostileWorld, isInSync, storedRows } from "./hostileWorld.ts"
import { injection, verbatimTexts } from "./injection.ts"
import { malformedJson } from "./malformedJson.ts"
import { oversized } from "./oversized.ts"
import { people } from "./people.ts"
import { requestLines } from "./requestLines.ts"
import { requestSmuggling } from "./requestSmuggling.ts"
import { urls } from "./urls.ts"

const corpus: Readonly<Record<string, ReadonlyArray<HostileCase>>> = {
  "malformed JSON": malformedJson,
  "encodings and media types": encodings,
  "request smuggling": requestSmuggling,
  "request lines and hosts": requestLines,
  "paths and queries": urls,
  headers,
  credentials,
  "members and keys": people,
  "oversized input": oversized,
  "body fields": bodyFields,
  injection
}

const assertBody = (body: unknown, expected: ExpectedResponse["body"]) => {
  if (expected instanceof RegExp) assert.match(String(body), expected)
  else if (expected !== undefined) assert.deepStrictEqual(body, expected)
}

const withOutcome = ({ responses, send, title }: HostileCase) => {
  const closes = responses.some((response) => response.closes === true)
  const changes = Object.assign({}, ...responses.map((response) => response.changes ?? {}))
  const statuses = responses.map(({ status }) => status).join(" and ")
  return { title, send, responses, closes, changes, outcome: `${statuses}${closes ? " and is cut off" : ""}` }
}

layer(HostileWorld.layer)("hostile requests", (it) => {
  for (const [kind, cases] of Object.entries(corpus)) {
    describe(`(${kind})`, () => {
      it.effect.each(cases.map(withOutcome))(
        "A client that sends $title gets $outcome, and changes only the expected rows",
        ({ changes, closes, responses, send }) =>
          Effect.gen(function* () {
            const { names, url } = yield* HostileWorld
            const before = yield* storedRows
            const connection = yield* connectRaw(url)
            connection.send(send(names))
            for (const { body, status } of responses) {
              const response = yield* connection.response
              assert.strictEqual(response?.status, status)
              if (response !== undefined) assertBody(comparableBody(response), body)
            }
            if (closes) yield* connection.closed
            else assert.isTrue(yield* isInSync(connection))
            assert.deepStrictEqual(countChanges(before, yield* storedRows), changes)
          })
      )
    })
  }

  /** As much of the text as a tag can have. */
  const tagOf = (text: string) => text.slice(0, maxTagLength)

  it.effect.each(Object.entries(verbatimTexts))("A post's text of %s is stored and returned unchanged", ([, content]) =>
    Effect.gen(function* () {
      const { names, url } = yield* HostileWorld
      // Tags have no invisible characters.
      const tags = /\p{C}/u.test(content) ? [] : [tagOf(content)]
      const created = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(names.key), {
        content,
        platforms: ["twitter"],
        tags
      })
      const { body } = yield* sendJson(`${url}/v1/posts/${created.body.id}`, "GET", keyHeaders(names.key))
      assert.strictEqual(body.data.content, content)
      assert.deepStrictEqual(body.data.tags, tags)
    })
  )

  it.effect("The server still serves other clients after hostile requests, none of which got a 5xx", () =>
    Effect.gen(function* () {
      const { names, url } = yield* HostileWorld
      const body = { content: "After all that", platforms: ["twitter"] }
      const created = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(names.key), body)
      assert.strictEqual(created.status, 201)
      const read = yield* sendJson(`${url}/v1/posts/${created.body.id}`, "GET", keyHeaders(names.key))
      assert.strictEqual(read.body.data.content, "After all that")
      const metrics = yield* sendJson(`${url}/metrics`, "GET", {})
      assert.match(metrics.text, /^http_request_duration_seconds_count\{[^}]*status="400"/m)
      assert.notMatch(metrics.text, /^http_request_duration_seconds_count\{[^}]*status="5/m)
    })
  )
})
