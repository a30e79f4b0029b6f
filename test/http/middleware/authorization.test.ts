import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { formatApiKey } from "../../../src/domain/people/apiKey.ts"
import { protectedEndpoints, scopesWithout } from "./protectedEndpoints.ts"
import { call, send } from "../../support/http/client.ts"
import { apiKey, repoWithKey, startServer } from "../../support/http/server.ts"
import { noPosts, postId } from "../../support/http/samplePosts.ts"

const ids = {
  key: postId,
  member: postId,
  invite: postId,
  workspace: postId,
  post: postId,
  media: postId,
  webhook: postId,
  channel: postId,
  integration: postId,
  group: postId,
  notification: postId
}

const endpoints = protectedEndpoints.map(({ method, path, scope }) => ({ method, path: path(ids), scope }))

const challenge = 'Bearer realm="social-publisher"'

describe("requests without a valid key", () => {
  it.effect.each([
    { what: "no Authorization header", header: undefined, expected: challenge },
    { what: "an empty token", header: "Bearer ", expected: `${challenge}, error="invalid_token"` },
    {
      what: "another authentication scheme",
      header: `Basic ${btoa(`key:${apiKey}`)}`,
      expected: `${challenge}, error="invalid_token"`
    },
    {
      what: "a truncated key",
      header: `Bearer ${apiKey.slice(0, -1)}`,
      expected: `${challenge}, error="invalid_token"`
    },
    {
      what: "an unknown key",
      header: `Bearer ${formatApiKey("Z".repeat(32))}`,
      expected: `${challenge}, error="invalid_token"`
    }
  ])("A request with $what gets a 401 with a challenge", ({ header, expected }) =>
    Effect.gen(function* () {
      const url = yield* startServer()
      const { status, headers, body } = yield* send(
        `${url}/v1/posts`,
        header === undefined ? {} : { headers: { authorization: header } }
      )
      assert.strictEqual(status, 401)
      assert.strictEqual(body.code, "unauthorized")
      assert.strictEqual(headers.get("www-authenticate"), expected)
      assert.notInclude(JSON.stringify(body), apiKey.slice(0, 12))
    })
  )

  it.effect("Every endpoint returns a 401 before it reads anything else of the request", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (const { method, path } of endpoints) {
        const { status } = yield* send(`${url}${path}?limit=nonsense`, {
          method,
          headers: { "content-type": "text/plain" }
        })
        assert.strictEqual(status, 401, `${method} ${path}`)
      }
    })
  )

  it.effect("A malformed key is refused without a query to the database", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ apiKeys: {} }) })
      const { status } = yield* send(`${url}/v1/posts`, { headers: { authorization: "Bearer sps_nonsense" } })
      assert.strictEqual(status, 401)
    })
  )

  it.effect("The authentication scheme is accepted in any case", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ posts: { list: () => Effect.succeed(noPosts) } }) })
      const { status } = yield* send(`${url}/v1/posts`, { headers: { authorization: `bEARER ${apiKey}` } })
      assert.strictEqual(status, 200)
    })
  )
})

describe("keys without the required scope", () => {
  const withScope = endpoints.flatMap(({ scope, ...endpoint }) => (scope === undefined ? [] : [{ ...endpoint, scope }]))

  it.effect.each(withScope)(
    "$method $path returns a 403 that names the missing scope $scope",
    ({ method, path, scope }) =>
      Effect.gen(function* () {
        const url = yield* startServer({ repo: repoWithKey({}, { scopes: scopesWithout(scope) }) })
        const { status, body } = yield* call(`${url}${path}`, method)
        assert.strictEqual(status, 403)
        assert.strictEqual(body.code, "insufficient_scope")
        assert.include(body.detail, scope)
      })
  )
})
