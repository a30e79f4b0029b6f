import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { demoSessionLayer } from "../../../src/http/pages/demoSession.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { sendJson } from "../../support/http/client.ts"
import { isOpen, password, returnedCookie, setCookie } from "../../support/http/logIn.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { startOnDatabase } from "../../support/http/team.ts"

const email = "demo-session@example.com"
const servedAt = "http://127.0.0.1:3000"

const server = Layer.effect(
  ServerUrl,
  Effect.gen(function* () {
    const { users } = yield* Repo
    yield* users.create(yield* makeWorkspace([]), email, Redacted.make(password))
    const repo = Layer.succeed(Repo, yield* Repo)
    return yield* startOnDatabase({
      servedAt,
      others: demoSessionLayer({ baseUrl: servedAt, email }).pipe(Layer.provide(repo))
    })
  })
).pipe(Layer.provideMerge(repoLayer))

const own = { "sec-fetch-site": "same-origin" }

const enter = (url: string, headers: Readonly<Record<string, string>>) =>
  sendJson(`${url}/sandbox/session`, "POST", headers, {})

layer(server)("POST /sandbox/session", (it) => {
  it.effect("The service's own page opens a session of the demo's user", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const response = yield* enter(url, own)
      assert.strictEqual(response.status, 200)
      assert.deepInclude(response.body.data, { email, role: "viewer" })
      assert.match(setCookie(response), /^session=[\w-]+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/)
      assert.isTrue(yield* isOpen(url, returnedCookie(response)))
    })
  )

  it.effect("A session that the browser brought along is ended, so that nobody else knows the one that is used", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const cookie = returnedCookie(yield* enter(url, own))
      const next = returnedCookie(yield* enter(url, { ...own, cookie }))
      assert.notStrictEqual(next, cookie)
      assert.isFalse(yield* isOpen(url, cookie))
      assert.isTrue(yield* isOpen(url, next))
    })
  )

  it.effect.each([
    { what: "another site", headers: { "sec-fetch-site": "cross-site" } },
    { what: "another origin", headers: { origin: "http://localhost:4000" } },
    { what: "no origin", headers: {} }
  ])("A request from $what opens no session", ({ headers }) =>
    Effect.gen(function* () {
      const response = yield* enter(yield* ServerUrl, headers)
      assert.strictEqual(response.status, 403)
      assert.strictEqual(response.body.code, "cross_origin")
      assert.strictEqual(setCookie(response), "")
    })
  )
})
