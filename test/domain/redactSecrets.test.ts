import { assert, describe, it } from "vitest"
import { formatApiKey } from "../../src/domain/people/apiKey.ts"
import { redactSecrets } from "../../src/domain/redactSecrets.ts"

describe("redactSecrets", () => {
  it.each([
    ["an API key", formatApiKey("a".repeat(32)), "…"],
    ["an API key in a path", `/v1/posts/${formatApiKey("A1".repeat(16))}/publish`, "/v1/posts/…/publish"],
    ["a JSON web token", "jwt eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.x", "jwt ….e30.x"],
    ["a header", "authorization: Bearer x.y", "authorization: Bearer …"],
    ["a password in a query", "?a=1&password=x&b=2", "?a=1&password=…&b=2"],
    ["a member of an object", '{"refresh_token":"x"}', '{"refresh_token":"…"}'],
    ["a cookie", "session=x; Path=/", "session=…; Path=/"],
    ["the user of a URL", "postgres://user:pass@db:5432/posts", "postgres://…@db:5432/posts"],
    [
      "a text that is not JSON",
      "Unexpected token 'H', \"Hello\" is not valid JSON",
      "Unexpected token 'H', a text is not valid JSON"
    ]
  ])("redactSecrets removes %s", (_what, text, expected) => {
    assert.strictEqual(redactSecrets(text), expected)
  })

  it.each([
    "GET /v1/posts/:id 200",
    "/v1/posts/01a1fc71-8a44-7699-8047-cf45ec77b045/publish",
    "The database did not answer: claiming due targets",
    'new row for relation "post_targets" violates check constraint "post_targets_claimed_has_lease"',
    "PORT 3000 is in use on 127.0.0.1: stop what listens there, or set PORT to another one",
    "connect ECONNREFUSED 127.0.0.1:5432 at 2026-11-21T04:36:27.326Z"
  ])("A text without secrets stays unchanged: %s", (text) => {
    assert.strictEqual(redactSecrets(text), text)
  })
})
