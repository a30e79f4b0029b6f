import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { send, sendJson } from "../support/http/client.ts"
import { ServerUrl } from "../support/http/server.ts"
import { agentServerLayer } from "./agent.ts"

layer(agentServerLayer())("clients that look for OAuth", (it) => {
  it.effect("A client that registers, or asks for metadata, is told that a key is missing or was refused", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const answers = [
        yield* sendJson(`${url}/register`, "POST", {}, { client_name: "A client", redirect_uris: [] }),
        ...(yield* Effect.forEach(
          [
            "/.well-known/oauth-protected-resource",
            "/.well-known/oauth-protected-resource/mcp",
            "/.well-known/oauth-authorization-server?a=1",
            "/.well-known/openid-configuration/mcp",
            "/mcp/.well-known/openid-configuration",
            "/authorize?response_type=code",
            "/v1/register",
            "/oauth/token",
            "/oauth2/jwks"
          ],
          (path) => send(`${url}${path}`, { headers: { accept: "application/json" } })
        ))
      ]
      for (const { body, status } of answers) {
        assert.deepStrictEqual([status, body.code], [404, "not_found"])
        assert.include(body.detail, "API keys only")
      }
    })
  )

  it.effect.each(["/authorize?response_type=code", "/register", "/.well-known/oauth-authorization-server"])(
    "A person whose browser is sent to %s reads where a key is made",
    (path) =>
      Effect.gen(function* () {
        const accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
        const { headers, status, text } = yield* send(`${yield* ServerUrl}${path}`, { headers: { accept } })
        assert.deepStrictEqual([status, headers.get("content-type")], [404, "text/html; charset=utf-8"])
        assert.include(text, "accepts API keys only, as Authorization: Bearer &lt;API key&gt;.")
        assert.include(text, `<a href="/settings/agents">`)
      })
  )

  it.effect("The address with a slash at its end names the one without", () =>
    Effect.gen(function* () {
      const { body, status } = yield* sendJson(`${yield* ServerUrl}/mcp/`, "POST", {}, {})
      assert.strictEqual(status, 404)
      assert.include(body.detail, "/mcp, without a slash")
      const other = yield* send(`${yield* ServerUrl}/registered`, { headers: { accept: "application/json" } })
      assert.include(other.body.detail, "nothing at this URL")
    })
  )
})
