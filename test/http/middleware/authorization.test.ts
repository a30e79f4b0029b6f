import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { formatApiKey, Scope } from "../../../src/domain/apiKey.ts"
import { protectedEndpoints } from "./protectedEndpoints.ts"
import { call, send } from "../../support/http/client.ts"
import { apiKey, startServer, repoWithKey } from "../../support/http/server.ts"
import { postId } from "../../support/http/samplePosts.ts"

const named = { post: postId, group: postId, notification: postId }

const addresses = protectedEndpoints.map(({ method, path, scope }) => ({ method, path: path(named), scope }))

const challenge = 'Bearer realm="social-publisher"'

describe("a request without a valid key", () => {
  it.effect.each([
    { what: "no header", header: undefined, expected: challenge },
    { what: "an empty token", header: "Bearer ", expected: `${challenge}, error="invalid_token"` },
    {
      what: "another scheme",
      header: `Basic ${btoa(`key:${apiKey}`)}`,
      expected: `${challenge}, error="invalid_token"`
    },
    {
      what: "a key that is cut off",
      header: `Bearer ${apiKey.slice(0, -1)}`,
      expected: `${challenge}, error="invalid_token"`
    },
    {
      what: "a key that nobody has",
      header: `Bearer ${formatApiKey("Z".repeat(32))}`,
      expected: `${challenge}, error="invalid_token"`
    }
  ])("is a 401 with a challenge: $what", ({ header, expected }) =>
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

  it.effect("is refused by every endpoint before anything of it is read", () =>
    Effect.gen(function* () {
      const url = yield* startServer()
      for (const { method, path } of addresses) {
        const { status } = yield* send(`${url}${path}?limit=nonsense`, {
          method,
          headers: { "content-type": "text/plain" }
        })
        assert.strictEqual(status, 401, `${method} ${path}`)
      }
    })
  )

  it.effect("does not reach the database where the key can't be one", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ apiKeys: {} }) })
      const { status } = yield* send(`${url}/v1/posts`, { headers: { authorization: "Bearer sps_nonsense" } })
      assert.strictEqual(status, 401)
    })
  )

  it.effect("takes the scheme in any case", () =>
    Effect.gen(function* () {
      const url = yield* startServer({ repo: repoWithKey({ posts: { list: () => Effect.succeed([]) } }) })
      const { status } = yield* send(`${url}/v1/posts`, { headers: { authorization: `bEARER ${apiKey}` } })
      assert.strictEqual(status, 200)
    })
  )
})

describe("a key without the scope", () => {
  const withKeys = addresses.flatMap(({ scope, ...address }) => (scope === undefined ? [] : [{ ...address, scope }]))

  it.effect.each(withKeys)("is a 403 that names it: $method $path needs $scope", ({ method, path, scope }) =>
    Effect.gen(function* () {
      const others = Scope.literals.filter((other) => other !== scope)
      const url = yield* startServer({ repo: repoWithKey({}, { scopes: others }) })
      const { status, body } = yield* call(`${url}${path}`, method)
      assert.strictEqual(status, 403)
      assert.strictEqual(body.code, "insufficient_scope")
      assert.include(body.detail, scope)
    })
  )
})
