import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keyHeaders, sendJson } from "../../support/http/client.ts"
import { isOpen, logIn, SharedUser } from "../../support/http/logIn.ts"
import { baseUrl, ServerUrl } from "../../support/http/server.ts"
import { makeTeam, notify } from "../../support/http/team.ts"

// Not policed: other files run all of its statements.

interface Origin {
  readonly what: string
  readonly headers: Readonly<Record<string, string>>
}

const accepted: ReadonlyArray<Origin> = [
  { what: "the service's own page", headers: { "sec-fetch-site": "same-origin" } },
  { what: "its own page in a browser that only sends Origin", headers: { origin: baseUrl } },
  {
    what: "its own page with another Origin, as behind a proxy",
    headers: { "sec-fetch-site": "same-origin", origin: "http://127.0.0.1:3000" }
  }
]

const refused: ReadonlyArray<Origin> = [
  { what: "another site", headers: { "sec-fetch-site": "cross-site" } },
  { what: "another origin of the site", headers: { "sec-fetch-site": "same-site" } },
  { what: "no page", headers: { "sec-fetch-site": "none" } },
  { what: "another site that forges Origin", headers: { "sec-fetch-site": "cross-site", origin: baseUrl } },
  { what: "another origin", headers: { origin: "https://evil.example" } },
  { what: "another port", headers: { origin: `${baseUrl}:8443` } },
  { what: "plain HTTP", headers: { origin: baseUrl.replace("https", "http") } },
  { what: "a sandboxed page", headers: { origin: "null" } },
  { what: "an undeclared origin", headers: {} }
]

/** Sends all changing requests with a session. Returns true if the session is still open. */
const write = Effect.fn("write")(function* (
  headers: Origin["headers"],
  expected: readonly [number, string | undefined]
) {
  const url = yield* ServerUrl
  const { cookie, workspaceId } = yield* makeTeam
  const id = yield* notify(workspaceId)
  const requests = [
    ["POST", `/v1/notifications/${id}/read`],
    ["POST", "/v1/notifications/read-all"],
    ["DELETE", "/v1/session"]
  ] as const
  for (const [method, path] of requests) {
    const { status, body } = yield* sendJson(`${url}${path}`, method, { cookie, ...headers })
    assert.deepStrictEqual([status, body.code], expected, path)
  }
  return yield* isOpen(url, cookie)
})

layer(SharedUser.layer)("CSRF protection", (it) => {
  it.effect.each(accepted)("A session's write from $what is accepted", ({ headers }) =>
    Effect.gen(function* () {
      assert.isFalse(yield* write(headers, [200, undefined]))
    })
  )

  it.effect.each(refused)("A session's write from $what is refused", ({ headers }) =>
    Effect.gen(function* () {
      assert.isTrue(yield* write(headers, [403, "cross_origin"]))
    })
  )

  it.effect("A session's read from another site is accepted", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie } = yield* makeTeam
      const { status } = yield* sendJson(`${url}/v1/notifications`, "GET", { cookie, "sec-fetch-site": "cross-site" })
      assert.strictEqual(status, 200)
    })
  )

  it.effect("A write with a key from another site is accepted, as browsers send no key by themselves", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { cookie, key } = yield* makeTeam
      const { status } = yield* sendJson(
        `${url}/v1/posts`,
        "POST",
        { cookie, ...keyHeaders(key), "sec-fetch-site": "cross-site" },
        { content: "Hello", platforms: ["twitter"] }
      )
      assert.strictEqual(status, 201)
    })
  )

  it.effect.each([
    { headers: {}, status: 200 },
    { headers: { "sec-fetch-site": "same-origin" }, status: 200 },
    { headers: { "sec-fetch-site": "cross-site" }, status: 403 },
    { headers: { origin: "https://evil.example" }, status: 403 }
  ])("Log-in with the headers $headers gets a $status", ({ headers, status }) =>
    Effect.gen(function* () {
      const { email } = yield* SharedUser
      const response = yield* logIn(yield* ServerUrl, { email }, { ...headers })
      assert.strictEqual(response.status, status)
      assert.lengthOf(response.headers.getSetCookie(), status === 200 ? 1 : 0)
    })
  )
})
