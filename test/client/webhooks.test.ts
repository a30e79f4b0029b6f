import { Webhook } from "standardwebhooks"
import { assert, describe, it } from "vitest"
import { verify, type WebhookHeaders } from "../../src/client/webhooks.ts"
import { failure } from "./standIn.ts"

const secret = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`
const other = `whsec_${Buffer.from("another secret of this size").toString("base64")}`
const time = new Date("2030-01-01T00:00:00Z")
const now = time.getTime()
const event = { type: "post.published", timestamp: "2030-01-01T00:00:00Z", data: { text: "é 🌅" } }
const body = JSON.stringify(event)

const headersOf = (...secrets: ReadonlyArray<string>) => ({
  "webhook-id": "an-id",
  "webhook-timestamp": String(now / 1000),
  "webhook-signature": secrets.map((each) => new Webhook(each).sign("an-id", time, body)).join(" ")
})

const reasonOf = async (
  headers: WebhookHeaders,
  options: Readonly<Record<string, number>> = {},
  text: string | Uint8Array = body
) => {
  const error = await failure(verify(text, headers, secret, { now, ...options }))
  return error instanceof Error && "reason" in error ? error.reason : error
}

describe("verify", () => {
  it("What standardwebhooks signs is verified as text and as bytes, with headers of each kind", async () => {
    const headers = headersOf(secret)
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), [value]]))
    for (const each of [headers, new Headers(headers), upper])
      for (const sent of [body, new TextEncoder().encode(body)])
        assert.deepStrictEqual<unknown>(await verify(sent, each, secret, { now }), event)
  })

  it("While a secret is replaced, one of several signatures of one of several secrets is enough", async () => {
    assert.deepStrictEqual<unknown>(await verify(body, headersOf(other, secret), secret, { now }), event)
    assert.deepStrictEqual<unknown>(await verify(body, headersOf(secret), [other, secret], { now }), event)
    assert.strictEqual(await reasonOf(headersOf(other)), "signature")
    const nobody = await failure(verify(body, headersOf(secret), [], { now }))
    assert.deepInclude(nobody, { reason: "signature" })
  })

  it("Another body, id, time or signature is refused", async () => {
    const headers = headersOf(secret)
    const [, signature = ""] = headers["webhook-signature"].split(",")
    assert.strictEqual(await reasonOf(headers, {}, `${body} `), "signature")
    for (const change of [
      { "webhook-id": "another" },
      { "webhook-timestamp": String(now / 1000 + 1) },
      { "webhook-signature": "v1,AAAA" },
      { "webhook-signature": "v1,not base64!" },
      { "webhook-signature": `v1a,${signature}` },
      { "webhook-signature": signature },
      { "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}` }
    ])
      assert.strictEqual(await reasonOf({ ...headers, ...change }), "signature", JSON.stringify(change))
  })

  it("A request is refused once it is older than the tolerance, or from as far in the future", async () => {
    const headers = headersOf(secret)
    for (const seconds of [-300, 300])
      assert.deepStrictEqual<unknown>(await verify(body, headers, secret, { now: now + seconds * 1000 }), event)
    for (const seconds of [-301, 301])
      assert.strictEqual(await reasonOf(headers, { now: now + seconds * 1000 }), "timestamp")
    assert.strictEqual(await reasonOf(headers, { now: now + 11_000, toleranceSeconds: 10 }), "timestamp")
    for (const timestamp of ["1e9", "-5", "soon", " ", "99999999999999"])
      assert.strictEqual(await reasonOf({ ...headers, "webhook-timestamp": timestamp }), "timestamp", timestamp)
    assert.strictEqual(await reasonOf(headers, { toleranceSeconds: Number.NaN }), "timestamp")
  })

  it("A header that is missing, empty or there twice is named", async () => {
    const headers = headersOf(secret)
    for (const name of Object.keys(headers))
      for (const [value, wrong] of [
        [undefined, "missing"],
        ["", "missing"],
        [[], "missing"],
        [["a", "b"], "there 2 times"],
        [["", ""], "there 2 times"]
      ] as const) {
        const error = await failure(verify(body, { ...headers, [name]: value }, secret, { now }))
        assert.deepInclude(error, { reason: "headers", message: `The header ${name} is ${wrong}` })
      }
  })

  it("What is signed but no event is refused", async () => {
    for (const text of ["[]", "not JSON", '{"type":1}']) {
      const headers = { ...headersOf(secret), "webhook-signature": new Webhook(secret).sign("an-id", time, text) }
      assert.strictEqual(await reasonOf(headers, {}, text), "body")
    }
  })

  it("A parsed body and a secret that is none are mistakes of the receiver, told without the secret", async () => {
    assert.instanceOf(await failure(verify(event as never, headersOf(secret), secret, { now })), TypeError)
    for (const wrong of [
      [undefined as never],
      "",
      "abc",
      "whsec_",
      "whsec_not base64!",
      "whsec_YWJj",
      `whsec_${Buffer.alloc(23).toString("base64")}`,
      `whsec_${Buffer.alloc(65).toString("base64")}`
    ]) {
      assert.deepInclude(await failure(verify(body, headersOf(secret), wrong, { now })), {
        message: "A secret is whsec_ and base64 of 24 to 64 bytes"
      })
    }
  })

  it("A secret is taken without its prefix too, as libraries for Standard Webhooks do", async () => {
    const bare = secret.replace("whsec_", "")
    assert.deepStrictEqual<unknown>(await verify(body, headersOf(bare), bare, { now }), event)
  })
})
