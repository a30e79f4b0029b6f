import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { startStandIn } from "../client/standIn.ts"
import { agents, headersOf, message } from "../mcp/agent.ts"
import { ServerUrl } from "../support/http/server.ts"
import { databaseServerLayer, makeTeam } from "../support/http/team.ts"
import { runCommand } from "../support/process/commands.ts"

interface Answer {
  readonly id: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Runs the command with its standard input, and parses each line of its output. */
const run = Effect.fnUntraced(function* (url: string, key: string, input: string | Uint8Array) {
  const env = { SOCIAL_PUBLISHER_URL: url, SOCIAL_PUBLISHER_KEY: key }
  const { code, errors, output } = yield* runCommand(["mcp"], env, input)
  assert.strictEqual(code, 0, errors)
  const answers = output.split("\n").slice(0, -1)
  return { answers: answers.map((line): Answer => JSON.parse(line)), errors }
})

/** The ids and codes of answers, by their ids. */
const outcomes = (answers: ReadonlyArray<Answer>) =>
  answers
    .map(({ error, id }) => [id, error?.code ?? "result"])
    .toSorted((left, right) => (String(left[0]) < String(right[0]) ? -1 : 1))

const lines = (...messages: ReadonlyArray<unknown>) =>
  messages.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")

const ping = { jsonrpc: "2.0", id: 1, method: "ping" }

const endless = function* () {
  const chunk = Buffer.alloc(1024 * 1024, "x")
  while (true) yield chunk
}

/** Writes as fast as the client reads, until it closes the connection. */
const endlessly = (response: ServerResponse) => {
  const source = Readable.from(endless())
  source.pipe(response)
  response.once("close", () => source.destroy())
}

const draft = (content: string) => ({
  ...message("tools/call", { name: "create_post", arguments: { content, platforms: ["bluesky"] } }),
  id: "draft"
})

layer(databaseServerLayer({ others: agents, rateLimitPerMinute: 100_000 }))("social-publisher mcp", (it) => {
  it.effect("What is no message is answered without an id, and the lines after it as ever", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      for (const [line, code] of [
        [[ping], -32_600],
        ["{", -32_700],
        ['{"id":1,"method":"pi\u0000ng"}', -32_700],
        ["3", -32_600],
        [{}, -32_600],
        [{ ...ping, id: null }, -32_600],
        [{ ...ping, id: {} }, -32_600]
      ] as const) {
        const { answers } = yield* run(url, key, lines(line, ping))
        assert.deepStrictEqual(
          outcomes(answers),
          [
            [1, "result"],
            [null, code]
          ],
          JSON.stringify(line)
        )
      }
      const { answers } = yield* run(url, key, `\n  \r\n${JSON.stringify(ping)}\r\n${JSON.stringify(ping)}`)
      assert.deepStrictEqual(outcomes(answers), [
        [1, "result"],
        [1, "result"]
      ])
    })
  )

  it.effect("Nothing is written in answer to a notification or to an answer, whatever becomes of it", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { key } = yield* makeTeam
      const { params } = message("", { requestId: 1 })
      const input = lines(
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", method: "notifications/cancelled", params },
        { jsonrpc: "2.0", method: "notifications/unknown", params },
        { jsonrpc: "2.0", id: 1, result: {} }
      )
      const taken = yield* run(url, key, input)
      assert.deepStrictEqual(taken.answers, [])
      assert.strictEqual(taken.errors, "")
      const refused = yield* run(url, "sps_wrong", input)
      assert.deepStrictEqual(refused.answers, [])
      assert.lengthOf(refused.errors.match(/API key/g) ?? [], 4)
      const away = yield* run("http://127.0.0.1:1", key, input)
      assert.deepStrictEqual(away.answers, [])
      assert.lengthOf(away.errors.match(/can't be reached/g) ?? [], 4)
    })
  )

  it.effect(
    "A line with more than the service takes is refused with its id, and one with more than is kept without",
    () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const { key } = yield* makeTeam
        const { answers } = yield* run(
          url,
          key,
          lines(draft("x".repeat(2_000_000)), " ".repeat(16 * 1024 * 1024 + 1), ping)
        )
        assert.deepStrictEqual(outcomes(answers), [
          [1, "result"],
          ["draft", -32_603],
          [null, -32_600]
        ])
        assert.include(JSON.stringify(answers), "A message may have 1 MiB at most")
        assert.include(JSON.stringify(answers), "A line may have 16777216 bytes at most")
      })
  )

  it.effect("A line that is not UTF-8 is refused, and not sent with other characters in it", () =>
    Effect.gen(function* () {
      const { key } = yield* makeTeam
      const [before = "", after = ""] = lines(draft("a|b")).split("|")
      const input = Buffer.concat([Buffer.from(before), Uint8Array.of(0xff), Buffer.from(after)])
      const { answers } = yield* run(yield* ServerUrl, key, input)
      assert.deepStrictEqual(outcomes(answers), [["draft", -32_603]])
      assert.include(answers[0]?.error?.message, "The body is not valid UTF-8")
    })
  )

  it.effect(
    "Lines go out as they came, with the key, and with the headers of the current revision where they are of it",
    () =>
      Effect.gen(function* () {
        const standIn = yield* Effect.acquireDisposable(
          Effect.promise(() => startStandIn({ status: 200, body: { jsonrpc: "2.0", id: 1, result: {} } }))
        )
        const line = ' {"jsonrpc" : "2.0", "id":1.50, "method":"ping"}'
        yield* run(`${standIn.url}/below/`, "sps_a", lines(line))
        yield* run(standIn.url, "sps_a", lines(draft("a")))
        const [legacy, current] = standIn.received
        assert.deepInclude(legacy, { method: "POST", url: "/below/mcp", body: line })
        assert.deepInclude(legacy?.headers, { authorization: "Bearer sps_a", "content-type": "application/json" })
        assert.notProperty(legacy?.headers, "mcp-method")
        assert.deepInclude(current?.headers, headersOf("sps_a", "tools/call", "create_post"))
      })
  )

  it.effect(
    "A call that something else than the service answers, or nothing, fails with its id, and the next one succeeds",
    () =>
      Effect.gen(function* () {
        const answered = { status: 200, body: { jsonrpc: "2.0", id: 1, result: {} } }
        for (const [reaction, said] of [
          [{ status: 502, body: "<h1>Bad gateway</h1>" }, "The service answered 502"],
          [
            { status: 301, headers: { location: "https://posts.example/below/mcp" } },
            "redirects to https://posts.example/below; set SOCIAL_PUBLISHER_URL to that"
          ],
          [{ status: 307, headers: { location: "/mcp/" } }, "/mcp/"],
          [{ status: 307, headers: { location: "/below/mcp/" } }, "/below; set SOCIAL_PUBLISHER_URL to that"],
          [
            { status: 302, headers: { location: "https://log-in.example/?to=/mcp" } },
            "redirects to https://log-in.example"
          ],
          [{ status: 308 }, "The service answered 308"],
          [{ status: 200, body: "" }, "The service answered 200"],
          [{ status: 204 }, "The service answered 204"],
          [{ status: 200, body: "<h1>Welcome</h1>" }, "The service answered 200"],
          [{ status: 202, body: "" }, "The service answered 202"],
          ["lose", "can't be reached"]
        ] as const) {
          const standIn = yield* Effect.acquireDisposable(Effect.promise(() => startStandIn(reaction, answered)))
          const first = yield* run(standIn.url, "sps_a", lines({ ...ping, id: "first" }))
          assert.deepStrictEqual(outcomes(first.answers), [["first", -32_603]])
          assert.include(first.answers[0]?.error?.message, said)
          assert.include(first.errors, said)
          const next = yield* run(standIn.url, "sps_a", lines(ping))
          assert.deepStrictEqual(next.answers, [answered.body])
        }
      })
  )

  it.effect("A redirect of a notification is told on standard error alone", () =>
    Effect.gen(function* () {
      const reaction = { status: 301, headers: { location: "https://posts.example/mcp" }, body: "" }
      const standIn = yield* Effect.acquireDisposable(Effect.promise(() => startStandIn(reaction)))
      const { answers, errors } = yield* run(standIn.url, "sps_a", lines({ jsonrpc: "2.0", method: "notifications/a" }))
      assert.deepStrictEqual(answers, [])
      assert.include(errors, "redirects to https://posts.example; set SOCIAL_PUBLISHER_URL to that")
    })
  )

  it.effect("A call whose answer breaks off or does not end fails with its id, and those beside it are answered", () =>
    Effect.gen(function* () {
      const server = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const started = createServer((request, response) => {
            request.once("data", (chunk) => {
              const { id } = JSON.parse(String(chunk))
              const body = JSON.stringify({ jsonrpc: "2.0", id, result: {} })
              const length = id === "endless" ? {} : { "content-length": body.length }
              response.writeHead(200, { "content-type": "application/json", ...length })
              if (id === "endless") {
                response.write(`{"jsonrpc":"2.0","result":"`)
                endlessly(response)
              } else if (id === "broken") response.write(body.slice(0, 20), () => response.destroy())
              else response.end(body)
            })
          })
          await once(started.listen(0, "127.0.0.1"), "listening")
          return started
        }),
        (started) =>
          Effect.promise(async () => {
            const closed = once(started.close(), "close")
            started.closeAllConnections()
            await closed
          })
      )
      const address = server.address()
      const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
      const { answers } = yield* run(
        url,
        "sps_a",
        lines(ping, { ...ping, id: "broken" }, { ...ping, id: "endless" }, { ...ping, id: "z" })
      )
      assert.deepStrictEqual(outcomes(answers), [
        [1, "result"],
        ["broken", -32_603],
        ["endless", -32_603],
        ["z", "result"]
      ])
    })
  )
})
