import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { sendJson, keyHeaders } from "../../support/http/client.ts"
import { connectRaw } from "../../support/http/rawConnection.ts"
import { addresses } from "./addresses.ts"
import type { Expected } from "./case.ts"
import { encodings } from "./encodings.ts"
import { headers } from "./headers.ts"
import { json } from "./json.ts"
import { members } from "./members.ts"
import { requestLines } from "./requestLines.ts"
import { sizes } from "./sizes.ts"
import { smuggling } from "./smuggling.ts"
import { texts, verbatim } from "./texts.ts"
import { bodyOf, changesSince, isInStep, stored, World } from "./world.ts"

const corpus = { json, encodings, smuggling, requestLines, addresses, headers, sizes, members, texts }

const assertBody = (body: unknown, expected: Expected["body"]) => {
  if (expected instanceof RegExp) assert.match(String(body), expected)
  else if (expected !== undefined) assert.deepStrictEqual(body, expected)
}

layer(World.layer.pipe(Layer.provideMerge(repoLayer)))("what is sent", (it) => {
  for (const [kind, cases] of Object.entries(corpus)) {
    describe(`of the kind ${kind}`, () => {
      it.effect.each(cases)(
        "is answered in one way, and changes what it may: $title",
        ({ answers, changes = {}, closes = false, send }) =>
          Effect.gen(function* () {
            const { names, url } = yield* World
            const before = yield* stored
            const connection = yield* connectRaw(url)
            connection.send(send(names))
            for (const { body, status } of answers) {
              const answer = yield* connection.answer
              assert.strictEqual(answer?.status, status)
              if (answer !== undefined) assertBody(bodyOf(answer), body)
            }
            if (closes) yield* connection.closed
            else assert.isTrue(yield* isInStep(connection))
            assert.deepStrictEqual(changesSince(before, yield* stored), changes)
          })
      )
    })
  }

  it.effect.each(Object.entries(verbatim))("is stored and read as it is where it is a text: %s", ([, content]) =>
    Effect.gen(function* () {
      const { names, url } = yield* World
      const created = yield* sendJson(`${url}/v1/posts`, "POST", keyHeaders(names.key), {
        content,
        platforms: ["twitter"],
        tags: [content]
      })
      const { body } = yield* sendJson(`${url}/v1/posts/${created.body.id}`, "GET", keyHeaders(names.key))
      assert.strictEqual(body.data.content, content)
      assert.deepStrictEqual(body.data.tags, [content])
    })
  )

  it.effect("leaves a server that serves everybody else as before", () =>
    Effect.gen(function* () {
      const { names, url } = yield* World
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
