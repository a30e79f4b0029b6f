import { assert, describe, it } from "vitest"
import { ApiError, ConnectionError } from "../../src/client/errors.ts"
import { failure, holdTimeouts, makeTestClient, problem, type Reaction, startStandIn } from "./standIn.ts"

const post = { content: "Hello", platforms: ["twitter"] }
const created: Reaction = { status: 201, body: { id: "1", status: "draft", platforms: ["twitter"] } }
const read: Reaction = { status: 200, body: { data: { id: "1", status: "draft", revision: 3 } } }
const unavailable = problem(503, "unavailable")

const keysOf = (received: ReadonlyArray<{ readonly headers: Readonly<Record<string, unknown>> }>) =>
  received.map(({ headers }) => headers["idempotency-key"])

describe("retries of the client", () => {
  it("A post whose creation is answered with 503 twice is created with one key and one body", async () => {
    await using standIn = await startStandIn(unavailable, unavailable, created)
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    assert.deepInclude(await client.posts.create(post), { id: "1" })
    assert.lengthOf(standIn.received, 3)
    const [key, ...others] = keysOf(standIn.received)
    assert.match(String(key), /^[0-9a-f-]{36}$/)
    assert.deepStrictEqual(others, [key, key])
    assert.deepStrictEqual(new Set(standIn.received.map(({ body }) => body)), new Set([JSON.stringify(post)]))
    assert.deepStrictEqual(waits, [500, 1000])
  })

  it("Two calls have two keys, and a call may bring its own", async () => {
    await using standIn = await startStandIn(created)
    const { client } = makeTestClient({ baseUrl: standIn.url })
    await client.posts.create(post)
    await client.posts.create(post)
    await client.posts.create(post, { idempotencyKey: "release-42" })
    const keys = keysOf(standIn.received)
    assert.strictEqual(new Set(keys).size, 3)
    assert.strictEqual(keys[2], "release-42")
  })

  it("A lost answer to a creation is asked for again with the same key", async () => {
    await using standIn = await startStandIn("lose", created)
    const { client } = makeTestClient({ baseUrl: standIn.url })
    await client.posts.create(post)
    const [first, second] = keysOf(standIn.received)
    assert.strictEqual(first, second)
  })

  it("A creation whose answers all get lost fails with the key that it was sent with", async () => {
    await using standIn = await startStandIn("lose")
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const error = await failure(client.posts.create(post))
    assert.instanceOf(error, ConnectionError)
    assert.lengthOf(standIn.received, 3)
    assert.strictEqual(error.idempotencyKey, keysOf(standIn.received)[0])
  })

  it("A request that takes neither a key nor a condition is not repeated when its outcome is unknown", async () => {
    for (const reaction of ["lose", unavailable, problem(408, "request_timeout"), problem(502, "x")] as const) {
      await using standIn = await startStandIn(reaction, { status: 201, body: { data: {}, secret: "" } })
      const { client } = makeTestClient({ baseUrl: standIn.url })
      await failure(client.webhooks.create({ url: "https://hooks.example" }))
      assert.lengthOf(standIn.received, 1)
    }
  })

  it("A request that was refused by the rate limit is repeated, whatever it is, after the time that the service names", async () => {
    await using standIn = await startStandIn(
      { status: 429, headers: { "retry-after": "42" }, body: { code: "rate_limited" } },
      { status: 201, body: { data: {}, secret: "" } }
    )
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    await client.webhooks.create({ url: "https://hooks.example" })
    assert.deepStrictEqual(waits, [42_000])
  })

  it("A date in Retry-After is a time to wait too", async () => {
    await using standIn = await startStandIn(
      { status: 503, headers: { "retry-after": "Tue, 01 Jan 2030 00:00:07 GMT" } },
      read
    )
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    await client.posts.get("1")
    assert.deepStrictEqual(waits, [7000])
  })

  it("Nobody waits longer than a minute: the error says how long to wait", async () => {
    await using standIn = await startStandIn({
      status: 429,
      headers: { "retry-after": "61" },
      body: { code: "rate_limited" }
    })
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    assert.deepInclude(await failure(client.posts.get("1")), { status: 429, code: "rate_limited", retryAfter: 61 })
    assert.deepStrictEqual(waits, [])
  })

  it("An own request that is still in flight is waited for, and another request with the key is an error at once", async () => {
    await using standIn = await startStandIn(
      { ...problem(409, "idempotency_in_flight"), headers: { "retry-after": "1" } },
      created
    )
    const { client, waits } = makeTestClient({ baseUrl: standIn.url })
    await client.posts.create(post)
    assert.deepStrictEqual(waits, [1000])

    for (const [status, code] of [
      [422, "idempotency_mismatch"],
      [409, "outcome_pending"],
      [500, "internal"]
    ] as const) {
      await using other = await startStandIn(problem(status, code))
      const { client: another } = makeTestClient({ baseUrl: other.url })
      assert.deepInclude(await failure(another.posts.create(post)), { status, code })
      assert.lengthOf(other.received, 1)
    }
  })

  it("An own request that is in flight for longer than the retries take does not use them up, and has an end", async () => {
    const inFlight = { ...problem(409, "idempotency_in_flight"), headers: { "retry-after": "1" } }
    await using long = await startStandIn(...Array.from({ length: 8 }, () => inFlight), unavailable, created)
    const { client, waits } = makeTestClient({ baseUrl: long.url, maxRetries: 1 })
    assert.deepInclude(await client.posts.create(post), { id: "1" })
    assert.lengthOf(waits, 9)

    await using endless = await startStandIn(inFlight)
    const { client: patient } = makeTestClient({ baseUrl: endless.url })
    assert.deepInclude(await failure(patient.posts.create(post)), { code: "idempotency_in_flight" })
    assert.lengthOf(endless.received, 31)
  })

  it("A change is repeated only with a condition, which any revision is not", async () => {
    const attempts = async (options: Readonly<Record<string, unknown>>) => {
      await using standIn = await startStandIn(unavailable, read)
      const { client } = makeTestClient({ baseUrl: standIn.url })
      await client.posts.update("1", { content: "Other" }, options).catch(() => undefined)
      return standIn.received.map(({ headers }) => headers["if-match"])
    }
    assert.deepStrictEqual(await attempts({ ifMatch: { revision: 3, status: "draft" } }), ['"3-draft"', '"3-draft"'])
    assert.deepStrictEqual(await attempts({ ifMatch: '"3"' }), ['"3"', '"3"'])
    // Where the contract has a key for changes, each is repeated with it.
    const isKeyed = (await attempts({})).length === 2
    assert.lengthOf(await attempts({ ifMatch: "*" }), isKeyed ? 2 : 1)
  })

  it("A call ends with its signal while it waits for a response, and while it waits for another attempt", async () => {
    await using standIn = await startStandIn("hang")
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const stop = new AbortController()
    const waiting = failure(client.posts.get("1", { signal: stop.signal }))
    stop.abort(new Error("Enough"))
    assert.deepInclude(await waiting, { message: "Enough" })

    await using failing = await startStandIn(unavailable)
    const ending = new AbortController()
    const sleep = async () => {
      ending.abort(new Error("Enough"))
      ending.signal.throwIfAborted()
    }
    const environment = { now: () => 0, random: () => 0, sleep }
    const { client: other } = makeTestClient({ baseUrl: failing.url, environment })
    assert.deepInclude(await failure(other.posts.get("1", { signal: ending.signal })), { message: "Enough" })
    assert.lengthOf(failing.received, 1)
  })

  it("An attempt that takes too long is repeated where that is safe", async () => {
    using timeouts = holdTimeouts()
    await using standIn = await startStandIn("hang", read)
    const { client } = makeTestClient({ baseUrl: standIn.url })
    const reading = client.posts.get("1", { timeoutMillis: 50 })
    await standIn.reached(1)
    timeouts.pass(50)
    assert.deepInclude(await reading, { revision: 3 })
    assert.lengthOf(standIn.received, 2)
  })

  it("A call may ask for no retries", async () => {
    await using standIn = await startStandIn(unavailable, read)
    const { client } = makeTestClient({ baseUrl: standIn.url })
    assert.instanceOf(await failure(client.posts.get("1", { maxRetries: 0 })), ApiError)
    assert.lengthOf(standIn.received, 1)
  })

  it("A file is sent again after a 429 unless it is a stream, and never when its outcome is unknown", async () => {
    const refused: Reaction = { status: 429, body: { code: "rate_limited" } }
    const stored: Reaction = { status: 201, body: { data: { id: "1", status: "processing" } } }
    const bytes = new Blob(["bytes of a file"])
    const attempts = async (first: Reaction, file: Parameters<typeof client.media.upload>[0]) => {
      await using standIn = await startStandIn(first, stored)
      const { client: own } = makeTestClient({ baseUrl: standIn.url })
      await own.media.upload(file, { alt: "A harbor", name: 'a "name".png' }).catch(() => undefined)
      for (const { body } of standIn.received) {
        assert.include(body, "bytes of a file")
        assert.include(body, "A harbor")
        assert.include(body, 'filename="a %22name%22.png"')
      }
      return standIn.received.length
    }
    const { client } = makeTestClient({ baseUrl: "http://127.0.0.1" })
    assert.strictEqual(await attempts(refused, bytes), 2)
    assert.strictEqual(await attempts(refused, () => bytes.stream()), 2)
    assert.strictEqual(await attempts(refused, bytes.stream()), 1)
    assert.strictEqual(await attempts("lose", bytes), 1)
  })
})
