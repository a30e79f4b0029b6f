import { assert, layer } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Record, Stream } from "effect"
import type { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { powerfulScopes } from "../../../src/domain/plain/access.ts"
import { formatApiKey } from "../../../src/domain/people/apiKey.ts"
import { GroupId } from "../../../src/domain/ids.ts"
import { MediaStore } from "../../../src/media/store/MediaStore.ts"
import { Role, roleScopes } from "../../../src/domain/people/role.ts"
import { makeChannel } from "../../chat/world.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { libraryServerLayer, storedLibraryLayer } from "../../media/mediaWorld.ts"
import { plan } from "../../support/database/fixtures.ts"
import { storeAvatar } from "../../support/database/avatarFixtures.ts"
import { storeFile } from "../../support/database/mediaFixtures.ts"
import { endpoints as contract } from "../../support/generated/generatedRequests.ts"
import { keyHeaders, sendJson, sessionHeaders } from "../../support/http/client.ts"
import { ServerUrl } from "../../support/http/server.ts"
import { adminOf, makeKey, makeMember, makeSession, makeTeam, notify, type Team } from "../../support/http/team.ts"
import { type PathIds, type ProtectedEndpoint, protectedEndpoints, scopesWithout } from "./protectedEndpoints.ts"

// Starts early: it sends two thousand requests.

const group = GroupId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba45")

/** Creates a workspace with a record of each kind that a path can name. */
const makeTeamWithRecords = Effect.gen(function* () {
  const team = yield* makeTeam
  const { id: post } = yield* (yield* Repo).posts.create(team.workspaceId, { ...plan(null), groupId: group })
  const { hash } = yield* (yield* MediaStore).write(team.workspaceId, Stream.make(new Uint8Array(68)))
  const { id: media } = yield* storeFile(team.workspaceId, { hash })
  const { webhook: created } = yield* (yield* Repo).webhooks.create(team.workspaceId, {
    url: "https://hooks.example.com/posts",
    description: null,
    events: null
  })
  const channel = yield* makeChannel(team.workspaceId)
  const integration = yield* storeAvatar(team.workspaceId)
  const { invite } = yield* (yield* Repo).invites.create(adminOf(team), "invited@example.com", "viewer")
  return {
    ...team,
    ids: {
      workspace: team.workspaceId,
      key: (yield* makeKey(team.workspaceId)).id,
      member: (yield* makeMember(team.workspaceId, "viewer")).id,
      invite: invite.id,
      post,
      media,
      webhook: created.id,
      channel: channel.id,
      integration,
      group,
      notification: yield* notify(team.workspaceId)
    }
  }
})

/** A workspace that several tests share and must not change. */
class SharedTeam extends Context.Service<SharedTeam, Effect.Success<typeof makeTeamWithRecords>>()("test/SharedTeam") {}

type Refusal = readonly [status: number, code: string]

const unauthorized: Refusal = [401, "unauthorized"]

interface Credential {
  readonly what: string
  readonly headers: (
    team: Team,
    endpoint: ProtectedEndpoint
  ) => Effect.Effect<Readonly<Record<string, string>>, unknown, Repo | SqlClient.SqlClient>
  /** The endpoint's refusal, or undefined if it accepts the credential. */
  readonly refusal: (endpoint: ProtectedEndpoint) => Refusal | undefined
}

const invalid = (what: string, headers: Credential["headers"]): Credential => ({
  what,
  headers,
  refusal: () => unauthorized
})

const invalidKey = (what: string, authorization: string): Credential =>
  invalid(what, () => Effect.succeed({ authorization }))

const sessionRequired = ({ anybody, scope }: ProtectedEndpoint): Refusal | undefined =>
  scope === undefined && anybody === undefined ? [403, "session_required"] : undefined

const credentials: ReadonlyArray<Credential> = [
  invalid("no credential", () => Effect.succeed({})),
  invalidKey("an empty key", "Bearer "),
  invalidKey("another authentication scheme", `Basic ${btoa("user:password")}`),
  invalidKey("a malformed key", "Bearer nonsense"),
  invalidKey("a truncated key", `Bearer ${formatApiKey("A".repeat(32)).slice(0, -1)}`),
  invalidKey("a key with a wrong checksum", `Bearer sps_${"A".repeat(32)}_000000`),
  invalidKey("an unknown key", `Bearer ${formatApiKey("Z".repeat(32))}`),
  invalid("an expired key", ({ workspaceId }) =>
    Effect.gen(function* () {
      const { key } = yield* makeKey(workspaceId, { expiresIn: Duration.minutes(1) })
      yield* TestClock.adjust("1 minute")
      return keyHeaders(key)
    })
  ),
  invalid("a revoked key", ({ workspaceId }) =>
    Effect.gen(function* () {
      const { id, key } = yield* makeKey(workspaceId)
      yield* (yield* Repo).apiKeys.revoke(id)
      return keyHeaders(key)
    })
  ),
  invalid("an unknown session", () => Effect.succeed(sessionHeaders(`__Host-session=${"A".repeat(43)}`))),
  invalid("a session in a cookie of another name", ({ cookie }) =>
    Effect.succeed(sessionHeaders(cookie.replace("__Host-session", "session")))
  ),
  invalid("a malformed key and a good session", ({ cookie }) =>
    Effect.succeed({ ...sessionHeaders(cookie), authorization: "Bearer nonsense" })
  ),
  invalid("an empty Authorization header and a good session", ({ cookie }) =>
    Effect.succeed({ ...sessionHeaders(cookie), authorization: "" })
  ),
  {
    what: "a key that lacks only the required scope",
    headers: ({ workspaceId }, { scope }) =>
      Effect.map(makeKey(workspaceId, { scopes: scopesWithout(scope) }), ({ key }) => keyHeaders(key)),
    refusal: (endpoint) =>
      sessionRequired(endpoint) ?? (endpoint.anybody === true ? undefined : [403, "insufficient_scope"])
  },
  {
    what: "a key that has only the required scope",
    headers: ({ workspaceId }, { scope }) =>
      Effect.map(makeKey(workspaceId, { scopes: scope === undefined ? [] : [scope] }), ({ key }) => keyHeaders(key)),
    refusal: sessionRequired
  },
  {
    what: "a key that requires approval",
    headers: ({ workspaceId }) =>
      Effect.map(makeKey(workspaceId, { requiresApproval: true }), ({ key }) => keyHeaders(key)),
    refusal: (endpoint) => {
      if (
        /\/(publish|approve|reject|resolve)$/.test(endpoint.template) ||
        (endpoint.template === "/v1/queue" && endpoint.method === "PUT")
      ) {
        return [403, "approval_required"]
      }
      if (endpoint.scope !== undefined && powerfulScopes.includes(endpoint.scope)) return [403, "insufficient_scope"]
      // Neither the post nor the file was made by this key.
      if (!["PATCH", "DELETE"].includes(endpoint.method)) return sessionRequired(endpoint)
      if (endpoint.template.startsWith("/v1/posts/")) return [403, "not_own_draft"]
      return endpoint.template.startsWith("/v1/media/") ? [403, "not_own_media"] : sessionRequired(endpoint)
    }
  },
  ...Role.literals.map((role): Credential => ({
    what: `a session with the role ${role}`,
    headers: ({ workspaceId }) =>
      Effect.gen(function* () {
        const { id } = yield* makeMember(workspaceId, role)
        return sessionHeaders(yield* makeSession(id, workspaceId))
      }),
    refusal: (endpoint) => {
      const { scope } = endpoint
      const allowed = endpoint.role === undefined || endpoint.role === role
      return allowed && (scope === undefined || roleScopes(role).includes(scope))
        ? undefined
        : [403, "insufficient_role"]
    }
  })),
  {
    what: "a session whose request comes from another site",
    headers: ({ cookie }) => Effect.succeed({ ...sessionHeaders(cookie), "sec-fetch-site": "cross-site" }),
    refusal: ({ method }) => (method === "GET" ? undefined : [403, "cross_origin"])
  },
  {
    what: "a good key and a session",
    headers: ({ cookie, key }) => Effect.succeed({ cookie, ...keyHeaders(key) }),
    refusal: sessionRequired
  }
]

const worldLayer = Layer.merge(libraryServerLayer, Layer.effect(SharedTeam, makeTeamWithRecords)).pipe(
  Layer.provideMerge(storedLibraryLayer)
)

/** Ends the windows in which an address's failed attempts and a workspace's requests are limited. */
const nextMinute = Layer.effectDiscard(TestClock.adjust("1 minute"))

layer(worldLayer)("authentication", (it) => {
  for (const endpoint of protectedEndpoints) {
    it.layer(nextMinute)(`${endpoint.method} ${endpoint.template}`, (it) => {
      const send = Effect.fn("send")(function* (ids: PathIds, headers: Readonly<Record<string, string>>) {
        return yield* sendJson(
          `${yield* ServerUrl}${endpoint.path(ids)}`,
          endpoint.method,
          headers,
          endpoint.body?.(ids)
        )
      })

      for (const credential of credentials) {
        const refusal = credential.refusal(endpoint)
        const [status, code] = refusal ?? [endpoint.status, endpoint.code]
        it.effect(
          `${endpoint.method} ${endpoint.template} with ${credential.what} gets ${refusal?.join(" ") ?? status}`,
          () =>
            Effect.gen(function* () {
              const changes = refusal === undefined && endpoint.method !== "GET"
              const team = changes ? yield* makeTeamWithRecords : yield* SharedTeam
              const response = yield* send(team.ids, yield* credential.headers(team, endpoint))
              assert.deepStrictEqual([response.status, response.body?.code], [status, code])
              assert.strictEqual(response.headers.has("www-authenticate"), response.status === 401)
            })
        )
      }

      if (!endpoint.template.includes("{")) return

      it.effect(
        `${endpoint.method} ${endpoint.template} for another workspace's record gets the same response as for an unknown one`,
        () =>
          Effect.gen(function* () {
            const owner = yield* makeTeamWithRecords
            const stranger = yield* makeTeam
            const headers = endpoint.scope === undefined ? sessionHeaders(stranger.cookie) : keyHeaders(stranger.key)
            const response = yield* send(owner.ids, headers)
            if (endpoint.template.includes("group")) {
              assert.deepStrictEqual(
                [response.status, response.body.data],
                [200, endpoint.method === "GET" ? [] : { group_id: group, deleted: 0, left_on_platforms: 0 }]
              )
            } else {
              const unknown = "01a1fc17-dc2e-777d-ad63-5a461a1bba44"
              const expected = yield* send(
                { ...Record.map(owner.ids, () => unknown), workspace: stranger.workspaceId },
                headers
              )
              assert.strictEqual(response.status, 404)
              assert.deepStrictEqual({ ...response.body, request_id: "" }, { ...expected.body, request_id: "" })
            }
            const repo = yield* Repo
            assert.strictEqual((yield* repo.posts.get(owner.workspaceId, owner.ids.post)).content, "Hello")
            assert.isFalse((yield* repo.notifications.page(owner.workspaceId, 0, 1)).data[0]?.read)
          })
      )
    })
  }

  it.effect("Every endpoint of the contract except the public ones is tested", () =>
    Effect.sync(() =>
      assert.sameMembers(
        [
          "POST /v1/session",
          "POST /v1/invites/read",
          "POST /v1/invites/accept",
          "POST /v1/password-resets",
          "POST /v1/password-resets/use",
          ...protectedEndpoints.map(({ method, template }) => `${method} ${template}`)
        ],
        contract.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`)
      )
    )
  )
})
