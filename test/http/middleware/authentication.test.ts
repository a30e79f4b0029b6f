import { assert, layer } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { formatApiKey, Scope } from "../../../src/domain/apiKey.ts"
import { GroupId } from "../../../src/domain/ids.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { type Endpoint, protectedEndpoints, type Named } from "./protectedEndpoints.ts"
import { plan } from "../../support/database/fixtures.ts"
import { endpoints as contract } from "../../support/generated/generatedRequests.ts"
import { sendJson, keyHeaders, sessionHeaders } from "../../support/http/client.ts"
import { makeKey, makeTeam, notify, startOnDatabase } from "../../support/http/team.ts"

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")

type Team = Effect.Success<typeof makeTeam>

/** A workspace that has one of everything that an endpoint can name. */
const makeFurnishedTeam = Effect.gen(function* () {
  const team = yield* makeTeam
  const { id: post } = yield* (yield* Repo).posts.create(team.workspaceId, { ...plan(null), groupId: group })
  return { ...team, named: { post, group, notification: yield* notify(team.workspaceId) } }
})

type Refusal = readonly [status: number, code: string]

const unauthorized: Refusal = [401, "unauthorized"]

interface Credential {
  readonly what: string
  readonly headers: (team: Team, endpoint: Endpoint) => Effect.Effect<Readonly<Record<string, string>>, unknown, Repo>
  /** How the endpoint refuses it; it takes it otherwise. */
  readonly refusal: (endpoint: Endpoint) => Refusal | undefined
}

const refused = (what: string, headers: Credential["headers"]): Credential => ({
  what,
  headers,
  refusal: () => unauthorized
})

const fixed = (what: string, authorization: string): Credential =>
  refused(what, () => Effect.succeed({ authorization }))

const sessionRequired = ({ scope }: Endpoint): Refusal | undefined =>
  scope === undefined ? [403, "session_required"] : undefined

const credentials: ReadonlyArray<Credential> = [
  refused("no credential", () => Effect.succeed({})),
  fixed("an empty key", "Bearer "),
  fixed("another scheme", `Basic ${btoa("user:password")}`),
  fixed("what is not a key at all", "Bearer nonsense"),
  fixed("a key that is cut off", `Bearer ${formatApiKey("A".repeat(32)).slice(0, -1)}`),
  fixed("a key whose checksum is wrong", `Bearer sps_${"A".repeat(32)}_000000`),
  fixed("a key that nobody has", `Bearer ${formatApiKey("Z".repeat(32))}`),
  refused("a key that has expired", ({ workspaceId }) =>
    Effect.gen(function* () {
      const { key } = yield* makeKey(workspaceId, { expiresIn: Duration.minutes(1) })
      yield* TestClock.adjust("1 minute")
      return keyHeaders(key)
    })
  ),
  refused("a key that was revoked", ({ workspaceId }) =>
    Effect.gen(function* () {
      const { id, key } = yield* makeKey(workspaceId)
      yield* (yield* Repo).apiKeys.revoke(id)
      return keyHeaders(key)
    })
  ),
  refused("a session that nobody has", () => Effect.succeed(sessionHeaders(`__Host-session=${"A".repeat(43)}`))),
  refused("a session in the cookie of another name", ({ cookie }) =>
    Effect.succeed(sessionHeaders(cookie.replace("__Host-session", "session")))
  ),
  refused("a wrong key beside a good session", ({ cookie }) =>
    Effect.succeed({ ...sessionHeaders(cookie), authorization: "Bearer nonsense" })
  ),
  refused("an empty Authorization header beside a good session", ({ cookie }) =>
    Effect.succeed({ ...sessionHeaders(cookie), authorization: "" })
  ),
  {
    what: "a key without the scope",
    headers: ({ workspaceId }, { scope }) =>
      Effect.map(makeKey(workspaceId, { scopes: Scope.literals.filter((other) => other !== scope) }), ({ key }) =>
        keyHeaders(key)
      ),
    refusal: (endpoint) => sessionRequired(endpoint) ?? [403, "insufficient_scope"]
  },
  {
    what: "a key with that scope alone",
    headers: ({ workspaceId }, { scope }) =>
      Effect.map(makeKey(workspaceId, { scopes: scope === undefined ? [] : [scope] }), ({ key }) => keyHeaders(key)),
    refusal: sessionRequired
  },
  {
    what: "a key that requires approval",
    headers: ({ workspaceId }) =>
      Effect.map(makeKey(workspaceId, { requiresApproval: true }), ({ key }) => keyHeaders(key)),
    refusal: (endpoint) =>
      endpoint.template.endsWith("/publish") ? [403, "approval_required"] : sessionRequired(endpoint)
  },
  {
    what: "a session",
    headers: ({ cookie }) => Effect.succeed(sessionHeaders(cookie)),
    refusal: ({ takesSessions }) => (takesSessions ? undefined : unauthorized)
  },
  {
    what: "a good key beside a session",
    headers: ({ cookie, key }) => Effect.succeed({ cookie, ...keyHeaders(key) }),
    refusal: sessionRequired
  }
]

const pairs = protectedEndpoints.flatMap((endpoint) => credentials.map((credential) => ({ endpoint, credential })))

layer(repoLayer)("a caller", (it) => {
  for (const { endpoint, credential } of pairs) {
    const refusal = credential.refusal(endpoint)
    const outcome = refusal === undefined ? String(endpoint.status) : refusal.join(" ")
    it.effect(`with ${credential.what} gets ${outcome} from ${endpoint.method} ${endpoint.template}`, () =>
      Effect.gen(function* () {
        const url = yield* startOnDatabase()
        const team = yield* makeFurnishedTeam
        const headers = yield* credential.headers(team, endpoint)
        const answer = yield* sendJson(`${url}${endpoint.path(team.named)}`, endpoint.method, headers, endpoint.body)
        const code = refusal?.[1]
        assert.deepStrictEqual([answer.status, answer.body.code], [refusal?.[0] ?? endpoint.status, code])
        assert.strictEqual(answer.headers.has("www-authenticate"), answer.status === 401)
      })
    )
  }

  it.effect("is asked for by every endpoint of the contract but the one that logs in", () =>
    Effect.sync(() =>
      assert.sameMembers(
        ["POST /v1/session", ...protectedEndpoints.map(({ method, template }) => `${method} ${template}`)],
        contract.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
      )
    )
  )

  const strangers = protectedEndpoints.filter(({ template }) => template.includes("{"))

  it.effect.each(strangers)("does not find what another workspace has: $method $template", (endpoint) =>
    Effect.gen(function* () {
      const url = yield* startOnDatabase()
      const owner = yield* makeFurnishedTeam
      const stranger = yield* makeTeam
      const headers = endpoint.takesSessions ? sessionHeaders(stranger.cookie) : keyHeaders(stranger.key)
      const request = (named: Named) =>
        sendJson(`${url}${endpoint.path(named)}`, endpoint.method, headers, endpoint.body)
      const answer = yield* request(owner.named)
      if (endpoint.template.includes("group")) {
        assert.deepStrictEqual(
          [answer.status, answer.body.data],
          [200, endpoint.method === "GET" ? [] : { group_id: group, deleted: 0 }]
        )
      } else {
        const unknown = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"
        const nobodys = yield* request({ post: unknown, group: unknown, notification: unknown })
        assert.strictEqual(answer.status, 404)
        assert.deepStrictEqual(
          { ...answer.body, request_id: "" },
          { ...nobodys.body, request_id: "" },
          "an id of another workspace and one that nobody has are told apart"
        )
      }
      const repo = yield* Repo
      assert.strictEqual((yield* repo.posts.get(owner.workspaceId, owner.named.post)).content, "Hello")
      assert.isFalse((yield* repo.notifications.page(owner.workspaceId, 0, 1)).data[0]?.read)
    })
  )
})
