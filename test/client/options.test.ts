import { assert, describe, it } from "vitest"
import { makeTestClient, startStandIn, table } from "./standIn.ts"

describe("options of the client", () => {
  it("An address that would show the key on the way is refused, but not one of this machine", () => {
    for (const baseUrl of ["http://posts.example", "http://10.0.0.1", "http://127.0.0.1.example", "http://[::2]"])
      assert.throws(() => makeTestClient({ baseUrl }), /has to begin with https:/, baseUrl)
    for (const baseUrl of [
      "https://posts.example",
      "http://localhost:3000",
      "http://api.localhost",
      "http://127.1.2.3",
      "http://[::1]:3000"
    ])
      assert.deepStrictEqual(JSON.parse(JSON.stringify(makeTestClient({ baseUrl }).client)), { baseUrl })
  })

  it("An address that is none, or has what the client adds or can't send, is refused", () => {
    for (const baseUrl of [
      "",
      "posts.example",
      "ftp://posts.example",
      "https://ada:word@posts.example",
      "https://posts.example/?a=1",
      "https://posts.example/v1/"
    ])
      assert.throws(() => makeTestClient({ baseUrl }), TypeError, "baseUrl")
  })

  it("A refused key or address is not repeated in the error", () => {
    for (const apiKey of ["", "sps_secret\n", "sps_secret and more", "sps_sécret"])
      assert.throws(() => makeTestClient({ baseUrl: "https://posts.example", apiKey }), /^apiKey [^é]*breaks$/)
    const refused = () => makeTestClient({ baseUrl: "https://ada:sps_secret@posts.example" })
    assert.throws(refused, /^baseUrl can't have a user or a password$/)
  })

  it("The address may have a path, before which the client stays", async () => {
    await using standIn = await startStandIn({ status: 200, body: { data: {} } })
    const { client } = makeTestClient({ baseUrl: `${standIn.url}/social//` })
    await client.posts.get("1")
    assert.strictEqual(standIn.received[0]?.url, "/social/v1/posts/1")
  })

  it("Times and counts out of their range are refused, of the client and of a call", () => {
    const { client } = makeTestClient({ baseUrl: "https://posts.example" })
    for (const options of [
      { timeoutMillis: 0 },
      { timeoutMillis: Infinity },
      { maxRetries: 11 },
      { maxRetries: 0.5 }
    ]) {
      assert.throws(() => makeTestClient({ baseUrl: "https://posts.example", ...options }), RangeError)
      assert.throws(() => void client.posts.get("1", options), RangeError)
    }
  })

  it("An option that an operation does not take is refused, so that no condition is lost", () => {
    const { client } = makeTestClient({ baseUrl: "https://posts.example" })
    assert.throws(() => void client.posts.get("1", { ifMatch: '"3"' }), "GET /v1/posts/{id} takes no ifMatch")
  })

  it("An id stays within its part of the path, and one that is missing is refused", async () => {
    await using standIn = await startStandIn({ status: 200, body: { data: {} } })
    const { client } = makeTestClient({ baseUrl: standIn.url })
    await client.posts.get("a/../b?c")
    await client.approvals.resolveTarget("1", "twitter", { outcome: "not_published" })
    assert.deepStrictEqual(
      standIn.received.map(({ url }) => url),
      ["/v1/posts/a%2F..%2Fb%3Fc", "/v1/posts/1/targets/twitter/resolve"]
    )
    for (const id of ["", ".", "..", "a\ud800", undefined as never])
      assert.throws(() => void client.posts.get(id), "id has to be an id")
  })

  it("Another fetch can be given", async () => {
    const asked: Array<string> = []
    const own: typeof fetch = async (input) => {
      asked.push(new Request(input).url)
      return Response.json({ data: {} })
    }
    await makeTestClient({ baseUrl: "https://posts.example", fetch: own }).client.posts.get("1")
    assert.deepStrictEqual(asked, ["https://posts.example/v1/posts/1"])
  })

  it("What an operation takes follows from the document", () => {
    assert.strictEqual(table["posts"]?.["create"], "POST /v1/posts json Idempotency-Key body")
    assert.strictEqual(table["notifications"]?.["list"], "GET /v1/notifications query pages")
    assert.strictEqual(table["mediaContent"]?.["get"], "GET /v1/media/{id}/content If-None-Match Range If-Range bytes")
    assert.match(table["posts"]?.["update"] ?? "", /^PATCH \/v1\/posts\/\{id\} json (Idempotency-Key )?If-Match data$/)
  })
})
