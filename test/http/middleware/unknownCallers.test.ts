import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { maxUnknownPerMinute } from "../../../src/http/middleware/unknownCallers.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { agents } from "../../mcp/agent.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { adminOf, databaseServerLayer, makeMember, makeSession, makeTeam } from "../../support/http/team.ts"

const from = (address: string) => ({ "x-forwarded-for": address, "x-forwarded-proto": "https" })

/** Sends the most requests that an address may send without a key. */
const useUp = Effect.fnUntraced(function* (address: string) {
  const url = yield* ServerUrl
  yield* Effect.forEach(
    Array.from({ length: maxUnknownPerMinute }).keys(),
    (n) => sendJson(`${url}/v1/${n % 2 === 0 ? "session" : "invites/read"}`, "POST", from(address), {}),
    { concurrency: 20, discard: true }
  )
})

layer(databaseServerLayer({ trustProxy: "on", others: agents }), { excludeTestServices: true })(
  "requests without a key",
  (it) => {
    it.effect("Beyond an address's limit they are refused unread; other addresses are not", () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        yield* useUp("2001:db8:1:1::1")
        for (const [path, body] of [
          ["/v1/session", "not JSON"],
          ["/v1/invites/accept", "not JSON"],
          ["/v1/posts", { content: "a", platforms: ["twitter"] }],
          ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }]
        ] as const) {
          const refused = yield* sendJson(`${url}${path}`, "POST", from("2001:db8:1:1::2"), body)
          assert.deepStrictEqual([refused.status, refused.body.code], [429, "rate_limited"])
          assert.isAbove(Number(refused.headers.get("retry-after")), 0)
        }
        const other = yield* sendJson(`${url}/v1/session`, "POST", from("2001:db8:1:2::1"), "not JSON")
        assert.strictEqual(other.status, 400)
      })
    )

    it.effect("Beyond an address's limit, a valid key or session from it still works", () =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const team = yield* makeTeam
        const office = from("192.0.2.7")
        yield* useUp("192.0.2.7")
        for (const headers of [keyHeaders(team.key), sessionHeaders(team.cookie)]) {
          assert.strictEqual((yield* sendJson(`${url}/v1/posts`, "GET", { ...office, ...headers })).status, 200)
        }
        const { invite, token } = yield* (yield* Repo).invites.create(adminOf(team), "invited@example.com", "viewer")
        const shown = { email: invite.email, token: Redacted.value(token) }
        const stranger = yield* makeMember(team.workspaceId, "viewer")
        const session = sessionHeaders(yield* makeSession(stranger.id, team.workspaceId))
        const read = yield* sendJson(
          `${url}/v1/invites/read`,
          "POST",
          { ...office, ...session },
          { token: shown.token }
        )
        assert.deepStrictEqual([read.status, read.body?.data?.email], [200, shown.email])
        assert.isNull(read.headers.get("retry-after"))
      })
    )
  }
)
