import { randomUUID } from "node:crypto"
import { Context, DateTime, Effect, Layer, Predicate, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { formatApiKey, Scope } from "../../../src/domain/apiKey.ts"
import { GroupId, type PostId } from "../../../src/domain/ids.ts"
import { isLive } from "../../../src/domain/platform.ts"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../database/fixtures.ts"
import type { Caller, Endpoint, GeneratedRequest } from "./generatedRequests.ts"
import { baseUrl, startServer } from "../http/server.ts"
import { makeResponseChecker } from "./checkResponse.ts"
import { type DraftRequest, mutate } from "./mutations.ts"
import { send } from "../http/client.ts"

const login = { email: "ada@acme.example", password: "a long and secret sentence" }

const make = Effect.gen(function* () {
  const repo = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const notifier = yield* Notifier
  const stores = Layer.mergeAll(Layer.succeed(Repo, repo), Layer.succeed(Notifier, notifier))
  const url = yield* startServer({ repo: stores, notifier: stores, rateLimitPerMinute: 1_000_000 })
  const own = yield* makeWorkspace()
  const foreign = yield* makeWorkspace(["bluesky"])
  const user = yield* repo.users.create(own, login.email, Redacted.make(login.password))

  const keyOf = (workspaceId: typeof own, scopes: ReadonlyArray<Scope>, requiresApproval: boolean) =>
    Effect.map(
      repo.apiKeys.create({ workspaceId, name: "A key", scopes, requiresApproval, expiresIn: null }),
      ({ key }) => ({ authorization: `Bearer ${Redacted.value(key)}` })
    )

  const keys = {
    owner: yield* keyOf(own, Scope.literals, false),
    drafter: yield* keyOf(own, Scope.literals, true),
    reader: yield* keyOf(own, ["posts:read"], false),
    other: yield* keyOf(foreign, Scope.literals, false),
    stranger: { authorization: `Bearer ${formatApiKey("B".repeat(32))}` },
    nobody: {}
  }

  /** Every session is a new one, as one of the requests ends it. */
  const credentialsOf = (caller: Caller) =>
    caller === "member"
      ? Effect.map(repo.sessions.open({ userId: user.id, workspaceId: own }), ({ token }) => ({
          cookie: `__Host-session=${Redacted.value(token)}`,
          origin: baseUrl
        }))
      : Effect.succeed(keys[caller])

  const publish = Effect.fnUntraced(function* (id: PostId) {
    yield* sql`UPDATE post_targets SET status = 'published', published_at = now(), due_at = NULL, due_since = NULL
      WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE id = ${id}::uuid`
  })

  /** A post of its own for a request, so that what it is answered does not depend on others. */
  const newPost = Effect.fnUntraced(function* ({ minutesAhead }: GeneratedRequest, groupId: GroupId | null = null) {
    const at = minutesAhead === null ? null : yield* DateTime.now
    const { id } = yield* repo.posts.create(own, { ...plan(at), groupId })
    if (minutesAhead !== null && minutesAhead % 3 === 0) yield* publish(id)
    return id
  })

  const newGroup = Effect.fnUntraced(function* (generated: GeneratedRequest) {
    const groupId = GroupId.make(randomUUID())
    yield* newPost(generated, groupId)
    return groupId
  })

  const newNotification = Effect.fnUntraced(function* (generated: GeneratedRequest) {
    const post = { id: yield* newPost(generated), scheduledAt: null, content: "Hello" }
    yield* notifier.approvalRequested(own, post)
    const { data } = yield* repo.notifications.page(own, 0, 1)
    return String(data[0]?.id)
  })

  const paramsFor = Effect.fnUntraced(function* ({ path }: Endpoint, generated: GeneratedRequest) {
    const { aboutKnown, params } = generated
    if (!aboutKnown) return params
    if ("group_id" in params) return { group_id: yield* newGroup(generated) }
    if (!("id" in params)) return params
    return { id: yield* path.startsWith("/v1/notifications/") ? newNotification(generated) : newPost(generated) }
  })

  /** Times that are near and platforms that are connected, as random ones hardly ever are. */
  const bodyFor = Effect.fnUntraced(function* ({ aboutKnown, body, minutesAhead }: GeneratedRequest) {
    if (!Predicate.isObject(body)) return body
    const near = DateTime.formatIso(DateTime.add(yield* DateTime.now, { minutes: minutesAhead ?? 0 }))
    const times = ["schedule_at", "scheduled_at"].filter(
      (name) => minutesAhead !== null && Predicate.isString(body[name])
    )
    const platforms = Array.isArray(body["platforms"]) ? body["platforms"].filter(isLive) : []
    return {
      ...body,
      ...Object.fromEntries(times.map((name) => [name, near])),
      ...(aboutKnown && "platforms" in body ? { platforms: platforms.length === 0 ? ["twitter"] : platforms } : {}),
      ...(aboutKnown && "password" in body ? login : {})
    }
  })

  const draftOf = Effect.fnUntraced(function* (endpoint: Endpoint, generated: GeneratedRequest) {
    const params = yield* paramsFor(endpoint, generated)
    const body = yield* bodyFor(generated)
    const draft: DraftRequest = {
      method: endpoint.method,
      path: endpoint.path.replaceAll(/:(\w+)/g, (_match, name: string) =>
        encodeURIComponent(Reflect.get(params, name))
      ),
      query: new URLSearchParams(generated.query).toString(),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...generated.headers,
        ...(yield* credentialsOf(generated.caller))
      },
      body
    }
    return mutate(draft, generated.dice)
  })

  const judge = makeResponseChecker((yield* send(`${url}/openapi.json`)).body)
  return GeneratedWorld.of({
    url,
    judge,
    draftOf: (endpoint, generated) => Effect.orDie(draftOf(endpoint, generated))
  })
})

/** A server on the real store, and two workspaces with callers of all kinds. */
export class GeneratedWorld extends Context.Service<
  GeneratedWorld,
  {
    readonly url: string
    readonly judge: ReturnType<typeof makeResponseChecker>
    /** A generated request as it is to be sent. */
    readonly draftOf: (endpoint: Endpoint, generated: GeneratedRequest) => Effect.Effect<DraftRequest>
  }
>()("test/GeneratedWorld") {
  static readonly layer = Layer.effect(GeneratedWorld, make)
}
