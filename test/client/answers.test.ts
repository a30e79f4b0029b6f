import { inspect } from "node:util"
import { assert, describe, it } from "vitest"
import { ApiError, ConnectionError, WaitError } from "../../src/client/errors.ts"
import { isCode } from "../../src/client/narrow.ts"
import { failure, holdTimeouts, makeTestClient, problem, type Reaction, startStandIn } from "./standIn.ts"

const page = (body: object): Reaction => ({ status: 200, body })
const items = (...ids: ReadonlyArray<string>) => ids.map((id) => ({ id }))

const readAll = async (list: AsyncIterable<{ readonly id: string }>) => {
  const ids: Array<string> = []
  for await (const { id } of list) ids.push(id)
  return ids
}

describe("what is no answer of the service", () => {
  it("A foreign JSON with the status 200 is an error, for one post as for a list", async () => {
    for (const body of [{}, { login: "https://portal.example" }, { data: "portal" }]) {
      await using standIn = await startStandIn({ status: 200, body })
      const { client } = makeTestClient({ baseUrl: standIn.url, maxRetries: 0 })
      assert.deepInclude(await failure(readAll(client.posts.list())), { status: 200, code: "unknown" })
      if (!("data" in body)) {
        assert.deepInclude(await failure(client.posts.get("1")), { status: 200, code: "unknown" })
      }
    }
  })

  it("A key that a response or an own fetch repeats is in no error", async () => {
    await using standIn = await startStandIn(problem(400, "invalid_request", { detail: "Sent: Bearer sps_a-key" }))
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const refused = await failure(client.posts.get("1"))
    assert.notInclude(inspect(refused, { depth: 5 }), "sps_a-key")
    const own = () => Promise.reject(new Error("failed", { cause: new Error("with authorization: Bearer sps_a-key") }))
    const { client: failing } = makeTestClient({ baseUrl: standIn.url, fetch: own, maxRetries: 0 })
    const lost = await failure(failing.posts.get("1"))
    assert.instanceOf(lost, Error)
    assert.notInclude(inspect(lost, { depth: 5 }), "sps_a-key")
  })

  it("Waiting for no number of milliseconds is refused before anything is sent", async () => {
    await using standIn = await startStandIn({ status: 200, body: { data: { id: "1", status: "draft", revision: 1 } } })
    const { client } = makeTestClient({ baseUrl: standIn.url })
    for (const timeoutMillis of [Number.NaN, 0, -1]) {
      assert.instanceOf(await failure(client.posts.wait("1", { timeoutMillis })), RangeError)
    }
    assert.isEmpty(standIn.received)
  })
})

describe("lists of the client", () => {
  it("A list is read to its last page with the same filters, over pages that are empty", async () => {
    await using standIn = await startStandIn(
      page({ data: items("a", "b"), next_cursor: "one" }),
      page({ data: [], next_cursor: "two" }),
      page({ data: items("c"), next_cursor: null })
    )
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const list = client.posts.list({ status: "failed", tag: undefined, text: null, limit: 2 })
    assert.lengthOf(standIn.received, 0)
    assert.deepStrictEqual(await readAll(list), ["a", "b", "c"])
    assert.deepStrictEqual(
      standIn.received.map(({ url }) => url),
      [
        "/v1/posts?status=failed&limit=2",
        "/v1/posts?status=failed&limit=2&cursor=one",
        "/v1/posts?status=failed&limit=2&cursor=two"
      ]
    )
  })

  it("A list whose pages lead back to one that was read ends with an error, after its items", async () => {
    const refusal = { code: "unknown", detail: "The page leads back to one that was read before" }
    for (const [pages, query] of [
      [[page({ data: items("a"), next_cursor: "one" })], {}],
      [[page({ data: items("a"), next_cursor: "one" })], { cursor: "one" }],
      [[page({ data: items("a"), page: 1, hasMore: true })], {}],
      [[page({ data: items("a"), next_cursor: "one" }), page({ data: items("b"), next_cursor: "two" })], {}]
    ] as const) {
      await using standIn = await startStandIn(...pages, pages[0])
      const { client } = makeTestClient({ baseUrl: standIn.url })
      const error = await failure(readAll(client.posts.list(query)))
      assert.instanceOf(error, ApiError)
      assert.deepInclude(error, refusal)
      assert.isAtMost(standIn.received.length, 3)
    }
  })

  it("An item that two pages with cursors have is read as often as they have it", async () => {
    await using standIn = await startStandIn(
      page({ data: items("a", "b"), next_cursor: "one" }),
      page({ data: items("b"), next_cursor: null })
    )
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.deepStrictEqual(await readAll(client.posts.list()), ["a", "b", "b"])
  })

  it("A list that is left early requests no further page", async () => {
    await using standIn = await startStandIn(page({ data: items("a"), next_cursor: "one" }))
    const { client } = makeTestClient({ baseUrl: standIn.url })
    for await (const { id } of client.posts.list()) {
      assert.strictEqual(id, "a")
      break
    }
    assert.lengthOf(standIn.received, 1)
  })

  it("Notifications are read by page, each once, although one is added meanwhile", async () => {
    await using standIn = await startStandIn(
      page({ data: items("a", "b"), page: 1, hasMore: true }),
      page({ data: items("b", "c"), page: 2, hasMore: false })
    )
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.deepStrictEqual(await readAll(client.notifications.list({ level: "attention" })), ["a", "b", "c"])
    assert.strictEqual(standIn.received[1]?.url, "/v1/notifications?level=attention&page=2")
  })

  it("One page has its cursor and its response", async () => {
    await using standIn = await startStandIn({
      status: 200,
      headers: { ratelimit: '"workspace";r=287;t=42', "x-request-id": "an-id" },
      body: { data: items("a"), next_cursor: "one" }
    })
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.deepInclude(await client.posts.list().page(), { next_cursor: "one" })
    assert.deepInclude(await client.posts.list().page().withResponse(), {
      status: 200,
      requestId: "an-id",
      rateLimit: { remaining: 287, seconds: 42 },
      idempotentReplayed: false
    })
  })

  it("A page that fails ends the list with the error", async () => {
    await using standIn = await startStandIn(
      page({ data: items("a"), next_cursor: "one" }),
      problem(400, "invalid_request")
    )
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.isTrue(isCode(await failure(readAll(client.posts.list())), "invalid_request"))
  })
})

describe("answers of the client", () => {
  it("A call gets what the body has as its data, and with the response its entity tag", async () => {
    await using standIn = await startStandIn({
      status: 200,
      headers: { etag: '"3-draft"', "idempotent-replayed": "true" },
      body: { data: { id: "1", revision: 3 } }
    })
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.deepStrictEqual(await client.posts.get("1"), { id: "1", revision: 3 } as never)
    const whole = await client.posts.get("1").withResponse()
    assert.deepInclude(whole, { etag: '"3-draft"', idempotentReplayed: true, rateLimit: null })
    assert.deepInclude(whole.data, { revision: 3 })
  })

  it("A failure is told once to whoever asks for the response, and breaks nothing else", async () => {
    await using standIn = await startStandIn(problem(404, "not_found"))
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const unhandled: Array<unknown> = []
    const note = (error: unknown) => void unhandled.push(error)
    process.on("unhandledRejection", note)
    assert.isTrue(isCode(await failure(client.posts.get("1").withResponse()), "not_found"))
    await new Promise(setImmediate)
    process.off("unhandledRejection", note)
    assert.deepStrictEqual(unhandled, [])
  })

  it("An error has the problem's members, every wrong field, and the request's id", async () => {
    await using standIn = await startStandIn({
      status: 400,
      headers: { "x-request-id": "an-id" },
      body: {
        code: "invalid_request",
        detail: "Two fields are wrong",
        errors: [{ path: ["media", 0, "alt"], message: "Too long" }, "no issue"],
        request_id: "an-id"
      }
    })
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const error = await failure(client.posts.create({ content: "", platforms: [] }))
    assert.instanceOf(error, ApiError)
    assert.deepInclude(error, {
      status: 400,
      code: "invalid_request",
      detail: "Two fields are wrong",
      errors: [{ path: ["media", 0, "alt"], message: "Too long" }],
      requestId: "an-id",
      retryAfter: null,
      message: "400 invalid_request: Two fields are wrong"
    })
    assert.deepInclude(error.problem, { request_id: "an-id" })
  })

  it("A page of a proxy is no answer of the service, whatever its status", async () => {
    for (const status of [200, 404, 502]) {
      await using standIn = await startStandIn({ status, body: "<h1>A proxy</h1>" })
      const { client } = makeTestClient({ baseUrl: standIn.url })
      const options = { maxRetries: 0 }
      for (const call of [client.posts.get("1", options), client.mediaContent.get("1", options)])
        assert.deepInclude(await failure(call), { status, code: "unknown", errors: [] })
    }
  })

  it("A redirect is not followed, so that the key goes to no other host", async () => {
    await using other = await startStandIn(page({ data: { id: "1" } }))
    for (const status of [301, 302, 307, 308]) {
      await using standIn = await startStandIn({ status, headers: { location: `${other.url}/v1/posts/1` } })
      const { client } = makeTestClient({ baseUrl: standIn.url })
      const error = await failure(client.posts.get("1"))
      assert.deepInclude(error, {
        status,
        code: "unknown",
        detail: "The response is a redirect, which is not followed"
      })
      assert.lengthOf(standIn.received, 1)
    }
    assert.lengthOf(other.received, 0)
  })

  it("Bytes are a response that the caller reads, and 304 is one too", async () => {
    await using standIn = await startStandIn(
      { status: 206, headers: { "content-type": "image/png" }, body: { bytes: 1 } },
      { status: 304 }
    )
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const part = await client.mediaContent.get("1", { range: "bytes=0-9" })
    assert.strictEqual(await part.text(), '{"bytes":1}')
    const same = await client.mediaContent.get("1", { ifNoneMatch: '"a"' })
    assert.strictEqual(same.status, 304)
    assert.deepStrictEqual(
      standIn.received.map(({ headers }) => [headers.range, headers["if-none-match"]]),
      [
        ["bytes=0-9", undefined],
        [undefined, '"a"']
      ]
    )
  })
})

const withStatus = (status: string): Reaction => ({ status: 200, body: { data: { id: "1", status, revision: 1 } } })

describe("waits of the client", () => {
  it("A post is read again until it has ended, with longer and longer pauses", async () => {
    await using standIn = await startStandIn(
      withStatus("scheduled"),
      withStatus("publishing"),
      withStatus("publishing"),
      withStatus("failed")
    )
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    assert.deepInclude(await client.posts.wait("1"), { status: "failed" })
    assert.deepStrictEqual(waits, [500, 750, 1125])
  })

  it("What to wait for can be something else, such as that a person has decided", async () => {
    await using standIn = await startStandIn(withStatus("draft"), withStatus("scheduled"))
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const until = ({ status }: { readonly status: string }) => status !== "draft"
    assert.deepInclude(await client.posts.wait("1", { until }), { status: "scheduled" })
  })

  it("A wait that takes too long fails with what was read last", async () => {
    using timeouts = holdTimeouts()
    await using standIn = await startStandIn(withStatus("draft"))
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    const error = await failure(client.posts.wait("1", { timeoutMillis: 2000 }))
    // What a read has to be answered in is no longer waited for once it was.
    timeouts.pass(2000)
    assert.instanceOf(error, WaitError)
    assert.deepInclude(error, { reason: "timeout", last: { id: "1", status: "draft", revision: 1 } })
    assert.strictEqual(
      waits.reduce((sum, wait) => sum + wait, 0),
      2000
    )
  })

  it("A read that is never answered ends with the time of the wait, and not with its own", async () => {
    using timeouts = holdTimeouts()
    await using silent = await startStandIn("hang")
    const { client } = makeTestClient({ baseUrl: silent.url })
    for (const [index, wait] of [client.posts.wait, client.media.waitUntilReady].entries()) {
      const waiting = failure(wait("1", { timeoutMillis: 50 }))
      await silent.reached(index + 1)
      timeouts.pass(50)
      const error = await waiting
      assert.instanceOf(error, WaitError)
      assert.deepInclude(error, { reason: "timeout", last: undefined })
    }
    assert.lengthOf(silent.received, 2)

    await using falling = await startStandIn(withStatus("processing"), "hang")
    const { client: other } = makeTestClient({ baseUrl: falling.url })
    const waiting = failure(other.media.waitUntilReady("1", { timeoutMillis: 800 }))
    await falling.reached(2)
    timeouts.pass(300)
    const error = await waiting
    assert.instanceOf(error, WaitError)
    assert.deepInclude(error, { reason: "timeout", last: { id: "1", status: "processing", revision: 1 } })
  })

  it("A wait ends with the caller's signal, as the caller said", async () => {
    await using standIn = await startStandIn("hang")
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const stop = new AbortController()
    const waiting = failure(client.posts.wait("1", { signal: stop.signal }))
    stop.abort(new Error("Enough"))
    assert.deepInclude(await waiting, { message: "Enough" })
  })

  it("A service that can't be reached ends a wait before its time", async () => {
    await using standIn = await startStandIn("lose")
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.instanceOf(await failure(client.posts.wait("1")), ConnectionError)
  })

  it("A file that can't be used ends the wait for it", async () => {
    await using standIn = await startStandIn(withStatus("processing"), withStatus("failed"))
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.deepInclude(await failure(client.media.waitUntilReady("1")), { reason: "failed" })
    assert.lengthOf(standIn.received, 2)
  })
})

describe("the API key in the client", () => {
  it("Neither the client nor its errors tell the key", async () => {
    await using standIn = await startStandIn("lose", problem(401, "unauthorized"))
    const apiKey = "sps_secret"
    const { client } = makeTestClient({ baseUrl: standIn.url, apiKey, maxRetries: 0 })
    const errors = [await failure(client.posts.get("1")), await failure(client.posts.get("1"))]
    assert.strictEqual(standIn.received[0]?.headers.authorization, `Bearer ${apiKey}`)
    for (const value of [client, ...errors]) {
      assert.notInclude(inspect(value, { depth: null, showHidden: true }), apiKey)
      assert.notInclude(JSON.stringify(value), apiKey)
      assert.notInclude(String(value instanceof Error ? value.stack : value), apiKey)
    }
    assert.strictEqual(JSON.stringify(client), JSON.stringify({ baseUrl: standIn.url }))
  })
})
