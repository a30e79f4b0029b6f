import { randomUUID } from "node:crypto"
import { Context, DateTime, Effect, Layer, Predicate, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { formatApiKey } from "../../../src/domain/people/apiKey.ts"
import {
  GroupId,
  nextChannelId,
  nextNotificationDeliveryId,
  nextWebhookId,
  type PostId
} from "../../../src/domain/ids.ts"
import { isLive } from "../../../src/domain/plain/platforms.ts"
import { Notifier } from "../../../src/notifier/Notifier.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../database/fixtures.ts"
import type { Caller, Endpoint, GeneratedRequest } from "./generatedRequests.ts"
import { keyHeaders, send, sessionHeaders } from "../http/client.ts"
import { makeKey, makeSession, startOnDatabase } from "../http/team.ts"
import { makeResponseChecker } from "./checkResponse.ts"
import { type DraftRequest, mutate } from "./mutations.ts"

const hookUrl = "https://hooks.example/social"

const login = { email: "ada@acme.example", password: "a long and secret sentence" }

const make = Effect.gen(function* () {
  const repo = yield* Repo
  const sql = yield* SqlClient.SqlClient
  const notifier = yield* Notifier
  const context = yield* Effect.context<Repo>()
  const url = yield* startOnDatabase({ rateLimitPerMinute: 1_000_000 })
  const own = yield* makeWorkspace()
  const foreign = yield* makeWorkspace(["bluesky"])
  const user = yield* repo.users.create(own, login.email, Redacted.make(login.password), "admin")

  const makeKeyHeaders = (...args: Parameters<typeof makeKey>) =>
    Effect.map(makeKey(...args), ({ key }) => keyHeaders(key))

  const keys = {
    owner: yield* makeKeyHeaders(own),
    drafter: yield* makeKeyHeaders(own, { requiresApproval: true }),
    reader: yield* makeKeyHeaders(own, { scopes: ["posts:read"] }),
    other: yield* makeKeyHeaders(foreign),
    stranger: keyHeaders(formatApiKey("B".repeat(32))),
    nobody: {}
  }

  /** Each request has its own session, because an endpoint ends the session. */
  const credentialHeaders = (caller: Caller) =>
    caller === "member"
      ? Effect.provide(Effect.map(makeSession(user.id, own), sessionHeaders), context)
      : Effect.succeed(keys[caller])

  const markPublished = Effect.fnUntraced(function* (id: PostId) {
    yield* sql`UPDATE post_targets SET status = 'published', published_at = now(), due_at = NULL, due_since = NULL
      WHERE post_id = ${id}::uuid`
    yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE id = ${id}::uuid`
  })

  /** Each request has its own post, so that responses do not depend on earlier requests. */
  const newPost = Effect.fnUntraced(function* ({ minutesAhead }: GeneratedRequest, groupId: GroupId | null = null) {
    const at = minutesAhead === null ? null : yield* DateTime.now
    const { id } = yield* repo.posts.create(own, { ...plan(at), groupId })
    if (minutesAhead !== null && minutesAhead % 3 === 0) yield* markPublished(id)
    return id
  })

  const newGroup = Effect.fnUntraced(function* (generated: GeneratedRequest) {
    const groupId = GroupId.make(randomUUID())
    yield* newPost(generated, groupId)
    return groupId
  })

  const newNotification = Effect.fnUntraced(function* (generated: GeneratedRequest) {
    const post = { id: yield* newPost(generated), scheduledAt: null, content: "Hello" }
    yield* notifier.approvalRequested(own, post, { type: "user", id: user.id })
    const { data } = yield* repo.notifications.page(own, 0, 1)
    return String(data[0]?.id)
  })

  /** Stored directly, because a webhook per request exceeds the workspace's limit. It never gets deliveries. */
  const newWebhook = Effect.gen(function* () {
    const id = yield* nextWebhookId
    yield* sql`INSERT INTO webhooks (id, workspace_id, url, secret, created_at)
      VALUES (${id}::uuid, ${own}::uuid, ${hookUrl}, ''::bytea, now())`
    return id
  })

  const webhookParams = Effect.fnUntraced(function* (hasEvent: boolean) {
    const id = yield* newWebhook
    return hasEvent ? { id, event_id: (yield* repo.webhooks.test(own, id)).id } : { id }
  })

  /** Stored directly, as webhooks. */
  const channelParams = Effect.fnUntraced(function* (hasDelivery: boolean) {
    const id = yield* nextChannelId
    yield* sql`INSERT INTO channels (id, workspace_id, kind, name, sealed_url, masked_url, types, created_at)
      VALUES (${id}::uuid, ${own}::uuid, 'mattermost', '#social', ''::bytea, '…', '{post.failed}', now())`
    if (!hasDelivery) return { id }
    const delivery_id = yield* nextNotificationDeliveryId
    yield* sql`INSERT INTO notification_deliveries (id, workspace_id, kind, channel_id, type, notification_ids, count, status,
        due_at, created_at, ended_at)
      VALUES (${delivery_id}::uuid, ${own}::uuid, 'mattermost', ${id}::uuid, 'post.failed', '{}', 1, 'sent', now(), now(), now())`
    return { id, delivery_id }
  })

  const paramsFor = Effect.fnUntraced(function* ({ path }: Endpoint, generated: GeneratedRequest) {
    const { namesExisting, params } = generated
    if (!namesExisting) return params
    if ("group_id" in params) return { group_id: yield* newGroup(generated) }
    if (!("id" in params)) return params
    if (path.startsWith("/v1/webhooks/")) return yield* webhookParams("event_id" in params)
    if (path.startsWith("/v1/channels/")) return yield* channelParams("delivery_id" in params)
    return { id: yield* path.startsWith("/v1/notifications/") ? newNotification(generated) : newPost(generated) }
  })

  /** Puts in near times and connected platforms, which random values rarely are. */
  const bodyFor = Effect.fnUntraced(function* ({ namesExisting, body, minutesAhead }: GeneratedRequest) {
    if (!Predicate.isObject(body)) return body
    const near = DateTime.formatIso(DateTime.add(yield* DateTime.now, { minutes: minutesAhead ?? 0 }))
    const times = ["schedule_at", "scheduled_at"].filter(
      (name) => minutesAhead !== null && Predicate.isString(body[name])
    )
    const platforms = Array.isArray(body["platforms"]) ? body["platforms"].filter(isLive) : []
    return {
      ...body,
      ...Object.fromEntries(times.map((name) => [name, near])),
      ...(namesExisting && "platforms" in body ? { platforms: platforms.length === 0 ? ["twitter"] : platforms } : {}),
      ...(namesExisting && Predicate.isString(body["url"]) ? { url: hookUrl } : {}),
      ...(namesExisting && "password" in body ? login : {}),
      ...(namesExisting && "workspace_id" in body ? { workspace_id: own } : {}),
      ...(namesExisting && "current_password" in body
        ? { current_password: login.password, new_password: login.password }
        : {})
    }
  })

  const makeDraft = Effect.fnUntraced(function* (endpoint: Endpoint, generated: GeneratedRequest) {
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
        ...(yield* credentialHeaders(generated.caller))
      },
      body
    }
    return mutate(draft, generated.dice)
  })

  const checkResponse = makeResponseChecker((yield* send(`${url}/openapi.json`)).body)
  return GeneratedWorld.of({
    url,
    checkResponse,
    makeDraft: (endpoint, generated) => Effect.orDie(makeDraft(endpoint, generated))
  })
})

/** A server on a real database, and two workspaces with all kinds of callers. */
export class GeneratedWorld extends Context.Service<
  GeneratedWorld,
  {
    readonly url: string
    readonly checkResponse: ReturnType<typeof makeResponseChecker>
    /** Creates the records that a request names, adds a credential, and applies the mutations. */
    readonly makeDraft: (endpoint: Endpoint, generated: GeneratedRequest) => Effect.Effect<DraftRequest>
  }
>()("test/GeneratedWorld") {
  static readonly layer = Layer.effect(GeneratedWorld, make)
}
