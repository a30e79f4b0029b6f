import { assert, describe, it } from "@effect/vitest"
import { Context, Schema } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Api } from "../../src/api/Api.ts"
import { Authentication } from "../../src/api/Authentication.ts"
import { AdminAuthorization, Authorization, RequiredScope, SessionAuthorization } from "../../src/api/Authorization.ts"
import { CheckedInput, JsonBody } from "../../src/api/input.ts"
import { PostCursor, PostPosition } from "../../src/api/pagination.ts"
import { MediaRateLimit, RateLimit } from "../../src/api/RateLimit.ts"
import type { Scope } from "../../src/domain/people/apiKey.ts"
import { PostId } from "../../src/domain/ids.ts"

const authenticated = ["unauthorized", "rate_limited", "unavailable"]
const withScope = [...authenticated, "insufficient_scope", "insufficient_role", "cross_origin"]
const withSession = [...authenticated, "session_required", "cross_origin"]
const asAdmin = [...withSession, "insufficient_role"]
const withBody = ["invalid_request", "payload_too_large", "unsupported_media_type"]
const idempotent = ["invalid_request", "idempotency_in_flight", "idempotency_mismatch"]

/** The codes of the problems that each endpoint documents. */
const documented: Readonly<Record<string, ReadonlyArray<string>>> = {
  "GET /v1/posts": [...withScope, "invalid_request"],
  "POST /v1/posts": [
    ...withScope,
    ...withBody,
    ...idempotent,
    "integration_not_connected",
    "content_too_long",
    "media_not_ready"
  ],
  "POST /v1/posts/validate": [...withScope, ...withBody],
  "POST /v1/posts/split": [...withScope, ...withBody],
  "GET /v1/posts/{id}": [...withScope, "invalid_request", "not_found"],
  "PATCH /v1/posts/{id}": [
    ...withScope,
    ...withBody,
    ...idempotent,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "content_too_long",
    "media_not_ready",
    "integration_not_connected",
    "not_own_draft",
    "approval_required",
    "revision_mismatch",
    "precondition_required"
  ],
  "POST /v1/posts/{id}/copy": [
    ...withScope,
    ...withBody,
    ...idempotent,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "outcome_open",
    "integration_not_connected",
    "content_too_long",
    "media_not_ready",
    "approval_required"
  ],
  "POST /v1/posts/{id}/publish": [
    ...withScope,
    ...idempotent,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "content_too_long",
    "media_not_ready",
    "approval_required",
    "revision_mismatch"
  ],
  "POST /v1/posts/{id}/approve": [
    ...withScope,
    ...withBody,
    ...idempotent,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "time_required",
    "content_too_long",
    "media_not_ready",
    "approval_required",
    "revision_mismatch"
  ],
  "POST /v1/posts/{id}/reject": [
    ...withScope,
    ...withBody,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "approval_required",
    "revision_mismatch"
  ],
  "POST /v1/posts/{id}/targets/{platform}/resolve": [
    ...withScope,
    ...withBody,
    ...idempotent,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "content_too_long",
    "media_not_ready",
    "approval_required"
  ],
  "DELETE /v1/posts/{id}": [
    ...withScope,
    ...idempotent,
    "not_found",
    "invalid_state",
    "not_own_draft",
    "revision_mismatch",
    "precondition_required"
  ],
  "GET /v1/posts/group/{group_id}": [...withScope, "invalid_request"],
  "DELETE /v1/posts/group/{group_id}": [
    ...withScope,
    ...idempotent,
    "invalid_state",
    "not_own_draft",
    "precondition_required"
  ],
  "GET /v1/queue": withScope,
  "PUT /v1/queue": [...withScope, ...withBody, "approval_required", "revision_mismatch"],
  "GET /v1/outlook": [...withScope, "invalid_request"],
  "GET /v1/outlook/settings": withSession,
  "PATCH /v1/outlook/settings": [...asAdmin, ...withBody],
  "GET /v1/queue/next": [...withScope, "invalid_request"],
  "GET /v1/queue/slots": [...withScope, "invalid_request"],
  "PUT /v1/queue/order": [
    ...withScope,
    ...withBody,
    ...idempotent,
    "not_found",
    "invalid_state",
    "post_unreadable",
    "content_too_long",
    "media_not_ready",
    "integration_not_connected",
    "not_own_draft",
    "approval_required",
    "revision_mismatch",
    "precondition_required"
  ],
  "GET /v1/media": [...withScope, "invalid_request"],
  "POST /v1/media": [
    ...withScope,
    "invalid_request",
    "media_quota",
    "media_unsupported",
    "payload_too_large",
    "request_timeout",
    "unsupported_media_type"
  ],
  "POST /v1/media/from-url": [...withScope, ...withBody, "media_quota"],
  "GET /v1/media/{id}": [...withScope, "invalid_request", "not_found"],
  "PATCH /v1/media/{id}": [...withScope, ...withBody, "not_own_media", "not_found"],
  "DELETE /v1/media/{id}": [...withScope, "invalid_request", "invalid_state", "not_own_media", "not_found"],
  "GET /v1/media/{id}/content": [...withScope, "invalid_request", "not_found", "range_not_satisfiable"],
  "GET /v1/media/{id}/thumbnail": [...withScope, "invalid_request", "not_found", "range_not_satisfiable"],
  "GET /v1/integrations": [...withScope, "invalid_request"],
  "POST /v1/integrations/bluesky": [
    ...withScope,
    ...withBody,
    "not_found",
    "another_account_connected",
    "platform_unavailable"
  ],
  "POST /v1/integrations/facebook": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/linkedin": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/instagram": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/threads": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/youtube": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/tiktok": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/twitter": [...withScope, ...withBody, "not_found", "platform_unavailable"],
  "POST /v1/integrations/decision": [
    ...withScope,
    ...withBody,
    "not_found",
    "another_account_connected",
    "outcome_pending"
  ],
  "GET /v1/integrations/{id}": [...withScope, "invalid_request", "not_found"],
  "GET /v1/integrations/{id}/posting-options": [
    ...withScope,
    "invalid_request",
    "not_found",
    "needs_reconnect",
    "platform_unavailable"
  ],
  "GET /v1/integrations/{id}/avatar": [...withScope, "invalid_request", "not_found"],
  "DELETE /v1/integrations/{id}": [...withScope, "invalid_request", "not_found"],
  "GET /v1/notifications": [...withScope, "invalid_request"],
  "POST /v1/notifications/{id}/read": [...withSession, "invalid_request", "not_found"],
  "POST /v1/notifications/read-all": withSession,
  "GET /v1/events": [...withScope, "invalid_request"],
  "GET /v1/posts/{id}/history": [...withScope, "invalid_request", "not_found"],
  "POST /v1/webhooks": [...withScope, ...withBody, "webhook_limit"],
  "GET /v1/webhooks": [...withScope, "invalid_request"],
  "GET /v1/webhooks/{id}": [...withScope, "invalid_request", "not_found"],
  "PATCH /v1/webhooks/{id}": [...withScope, ...withBody, "not_found"],
  "DELETE /v1/webhooks/{id}": [...withScope, "invalid_request", "not_found"],
  "POST /v1/webhooks/{id}/rotate-secret": [...withScope, ...withBody, "not_found"],
  "POST /v1/webhooks/{id}/test": [...withScope, "invalid_request", "not_found", "invalid_state"],
  "GET /v1/webhooks/{id}/deliveries": [...withScope, "invalid_request", "not_found"],
  "POST /v1/webhooks/{id}/deliveries/{event_id}/resend": [
    ...withScope,
    "invalid_request",
    "not_found",
    "invalid_state"
  ],
  "POST /v1/webhooks/{id}/replay": [...withScope, ...withBody, "not_found", "invalid_state"],
  "POST /v1/channels": [...withScope, ...withBody, "channel_limit"],
  "GET /v1/channels": [...withScope, "invalid_request"],
  "GET /v1/channels/{id}": [...withScope, "invalid_request", "not_found"],
  "PATCH /v1/channels/{id}": [...withScope, ...withBody, "not_found"],
  "DELETE /v1/channels/{id}": [...withScope, "invalid_request", "not_found"],
  "POST /v1/channels/{id}/test": [...withScope, "invalid_request", "not_found", "invalid_state"],
  "GET /v1/channels/{id}/deliveries": [...withScope, "invalid_request", "not_found"],
  "POST /v1/channels/{id}/deliveries/{delivery_id}/resend": [
    ...withScope,
    "invalid_request",
    "not_found",
    "invalid_state"
  ],
  "POST /v1/session": [...authenticated, ...withBody, "cross_origin", "no_workspace"],
  "DELETE /v1/session": [...withSession, "invalid_request"],
  "PUT /v1/session/workspace": [...withSession, ...withBody],
  "PUT /v1/session/password": [...withSession, ...withBody],
  "GET /v1/session/profile": withSession,
  "PATCH /v1/session/profile": [...withSession, ...withBody],
  "GET /v1/session/mail": withSession,
  "PATCH /v1/session/mail": [...withSession, ...withBody, "invalid_state"],
  "POST /v1/password-resets": [...withBody, "invalid_state", "rate_limited", "unavailable"],
  "POST /v1/password-resets/use": [...withBody, "not_found", "rate_limited", "unavailable"],
  "GET /v1/mail/deliveries": [...asAdmin, "invalid_request"],
  "POST /v1/mail/deliveries/{id}/resend": [...asAdmin, "invalid_request", "not_found", "invalid_state"],
  "GET /v1/session/sessions": [...withSession, "invalid_request"],
  "DELETE /v1/session/sessions": withSession,
  "DELETE /v1/session/sessions/{id}": [...withSession, "invalid_request", "not_found"],
  "GET /v1/me": authenticated,
  "GET /v1/platforms": authenticated,
  "GET /v1/members": [...asAdmin, "invalid_request"],
  "PATCH /v1/members/{user_id}": [...asAdmin, ...withBody, "not_found", "invalid_state"],
  "DELETE /v1/members/{user_id}": [...asAdmin, "invalid_request", "not_found", "invalid_state"],
  "GET /v1/invites": [...asAdmin, "invalid_request"],
  "POST /v1/invites": [...asAdmin, ...withBody, "invalid_state", "member_limit"],
  "DELETE /v1/invites/{id}": [...asAdmin, "invalid_request", "not_found"],
  "POST /v1/invites/read": [...withBody, "not_found", "rate_limited", "unavailable"],
  "POST /v1/invites/accept": [
    ...authenticated,
    ...withBody,
    "login_required",
    "cross_origin",
    "not_found",
    "invalid_state",
    "member_limit"
  ],
  "GET /v1/keys": [...asAdmin, "invalid_request"],
  "POST /v1/keys": [...asAdmin, ...withBody, "key_limit"],
  "POST /v1/keys/{id}/rotate": [...asAdmin, ...withBody, "not_found", "invalid_state", "key_limit"],
  "DELETE /v1/keys/{id}": [...asAdmin, "invalid_request", "not_found"]
}

const scoped = (scope: Scope) => [{ apiKey: [scope] }, { session: [] }]
const people = [{ session: [] }]

/** The security requirements of each endpoint; none for a public one. */
const security: Readonly<Record<string, ReadonlyArray<object>>> = {
  "GET /v1/posts": scoped("posts:read"),
  "POST /v1/posts": scoped("posts:write"),
  "POST /v1/posts/validate": scoped("posts:read"),
  "POST /v1/posts/split": scoped("posts:read"),
  "GET /v1/posts/{id}": scoped("posts:read"),
  "PATCH /v1/posts/{id}": scoped("posts:write"),
  "POST /v1/posts/{id}/copy": scoped("posts:write"),
  "POST /v1/posts/{id}/publish": scoped("posts:publish"),
  "POST /v1/posts/{id}/approve": scoped("posts:publish"),
  "POST /v1/posts/{id}/reject": scoped("posts:publish"),
  "POST /v1/posts/{id}/targets/{platform}/resolve": scoped("posts:publish"),
  "DELETE /v1/posts/{id}": scoped("posts:delete"),
  "GET /v1/posts/group/{group_id}": scoped("posts:read"),
  "DELETE /v1/posts/group/{group_id}": scoped("posts:delete"),
  "GET /v1/queue": scoped("posts:read"),
  "PUT /v1/queue": scoped("posts:publish"),
  "GET /v1/outlook": scoped("posts:read"),
  "GET /v1/outlook/settings": people,
  "PATCH /v1/outlook/settings": people,
  "GET /v1/queue/next": scoped("posts:read"),
  "GET /v1/queue/slots": scoped("posts:read"),
  "PUT /v1/queue/order": scoped("posts:write"),
  "GET /v1/media": scoped("posts:read"),
  "POST /v1/media": scoped("media:write"),
  "POST /v1/media/from-url": scoped("media:write"),
  "GET /v1/media/{id}": scoped("posts:read"),
  "PATCH /v1/media/{id}": scoped("media:write"),
  "DELETE /v1/media/{id}": scoped("media:write"),
  "GET /v1/media/{id}/content": scoped("posts:read"),
  "GET /v1/media/{id}/thumbnail": scoped("posts:read"),
  "GET /v1/integrations": scoped("integrations:read"),
  "POST /v1/integrations/bluesky": scoped("integrations:write"),
  "POST /v1/integrations/facebook": scoped("integrations:write"),
  "POST /v1/integrations/linkedin": scoped("integrations:write"),
  "POST /v1/integrations/instagram": scoped("integrations:write"),
  "POST /v1/integrations/threads": scoped("integrations:write"),
  "POST /v1/integrations/youtube": scoped("integrations:write"),
  "POST /v1/integrations/tiktok": scoped("integrations:write"),
  "POST /v1/integrations/twitter": scoped("integrations:write"),
  "POST /v1/integrations/decision": scoped("integrations:write"),
  "GET /v1/integrations/{id}": scoped("integrations:read"),
  "GET /v1/integrations/{id}/posting-options": scoped("integrations:read"),
  "GET /v1/integrations/{id}/avatar": scoped("integrations:read"),
  "DELETE /v1/integrations/{id}": scoped("integrations:write"),
  "GET /v1/notifications": scoped("notifications:read"),
  "POST /v1/notifications/{id}/read": people,
  "POST /v1/notifications/read-all": people,
  "GET /v1/events": scoped("posts:read"),
  "GET /v1/posts/{id}/history": scoped("posts:read"),
  "POST /v1/webhooks": scoped("webhooks:manage"),
  "GET /v1/webhooks": scoped("webhooks:manage"),
  "GET /v1/webhooks/{id}": scoped("webhooks:manage"),
  "PATCH /v1/webhooks/{id}": scoped("webhooks:manage"),
  "DELETE /v1/webhooks/{id}": scoped("webhooks:manage"),
  "POST /v1/webhooks/{id}/rotate-secret": scoped("webhooks:manage"),
  "POST /v1/webhooks/{id}/test": scoped("webhooks:manage"),
  "GET /v1/webhooks/{id}/deliveries": scoped("webhooks:manage"),
  "POST /v1/webhooks/{id}/deliveries/{event_id}/resend": scoped("webhooks:manage"),
  "POST /v1/webhooks/{id}/replay": scoped("webhooks:manage"),
  "POST /v1/channels": scoped("webhooks:manage"),
  "GET /v1/channels": scoped("webhooks:manage"),
  "GET /v1/channels/{id}": scoped("webhooks:manage"),
  "PATCH /v1/channels/{id}": scoped("webhooks:manage"),
  "DELETE /v1/channels/{id}": scoped("webhooks:manage"),
  "POST /v1/channels/{id}/test": scoped("webhooks:manage"),
  "GET /v1/channels/{id}/deliveries": scoped("webhooks:manage"),
  "POST /v1/channels/{id}/deliveries/{delivery_id}/resend": scoped("webhooks:manage"),
  "POST /v1/session": [],
  "DELETE /v1/session": people,
  "PUT /v1/session/workspace": people,
  "PUT /v1/session/password": people,
  "GET /v1/session/profile": people,
  "PATCH /v1/session/profile": people,
  "GET /v1/session/mail": people,
  "PATCH /v1/session/mail": people,
  "POST /v1/password-resets": [],
  "POST /v1/password-resets/use": [],
  "GET /v1/mail/deliveries": people,
  "POST /v1/mail/deliveries/{id}/resend": people,
  "GET /v1/session/sessions": people,
  "DELETE /v1/session/sessions": people,
  "DELETE /v1/session/sessions/{id}": people,
  "GET /v1/me": [{ apiKey: [] }, { session: [] }],
  "GET /v1/platforms": [{ apiKey: [] }, { session: [] }],
  "GET /v1/members": people,
  "PATCH /v1/members/{user_id}": people,
  "DELETE /v1/members/{user_id}": people,
  "GET /v1/invites": people,
  "POST /v1/invites": people,
  "DELETE /v1/invites/{id}": people,
  "POST /v1/invites/read": [],
  "POST /v1/invites/accept": [],
  "GET /v1/keys": people,
  "POST /v1/keys": people,
  "POST /v1/keys/{id}/rotate": people,
  "DELETE /v1/keys/{id}": people
}

const spec = OpenApi.fromApi(Api)

const operations = Object.entries(spec.paths).flatMap(([path, item]) =>
  (["get", "post", "put", "patch", "delete"] as const).flatMap((method) => {
    const operation = item[method]
    return operation === undefined ? [] : [{ name: `${method.toUpperCase()} ${path}`, operation }]
  })
)

/** The codes of the problems that a response can have. */
const problemCodes = (response: OpenApi.OpenApiSpecResponse): Array<string> => {
  const schema = JSON.stringify(response.content?.["application/problem+json"]?.schema ?? {})
  return Array.from(
    schema.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)/g),
    ([, problem = ""]) =>
      /"code":\{"type":"string","enum":\["(\w+)"\]/.exec(JSON.stringify(spec.components.schemas[problem]))?.[1] ?? ""
  )
}

describe("the contract", () => {
  it("Each endpoint documents its problems, as problem+json", () => {
    const found = operations.map(
      ({ name, operation }) => [name, Object.values(operation.responses).flatMap(problemCodes)] as const
    )
    assert.sameMembers(
      found.map(([name]) => name),
      Object.keys(documented)
    )
    for (const [name, codes] of found) assert.sameMembers(codes, [...new Set(documented[name])], name)
  })

  it("Every operation has an id, a summary, a description and security requirements", () => {
    for (const { name, operation } of operations) {
      assert.match(operation.operationId, /^[a-z]+[A-Za-z]+$/, name)
      assert.isNotEmpty(operation.summary)
      assert.isNotEmpty(operation.description)
      assert.deepStrictEqual(operation.security, security[name], name)
    }
    assert.hasAllKeys(spec.components.securitySchemes, ["apiKey", "session"])
  })

  it("Every endpoint but the public ones requires a scope or a session and is rate limited", () => {
    const open = new Set([
      "POST /v1/session",
      "POST /v1/invites/read",
      "POST /v1/invites/accept",
      "POST /v1/password-resets",
      "POST /v1/password-resets/use"
    ])
    // Whoever the caller is.
    const unconditional = new Set(["GET /v1/me", "GET /v1/platforms"])
    const authorizations = new Set<string>([Authorization.key, SessionAuthorization.key, AdminAuthorization.key])
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, middleware }) => {
        const name = `${endpoint.method} ${endpoint.path}`
        const [outermost, next, ...others] = Array.from(middleware, ({ key }) => key).toReversed()
        if (open.has(name)) return
        const limit = /\/(content|thumbnail)$/.test(name) ? MediaRateLimit : RateLimit
        assert.deepStrictEqual([outermost, next], [Authentication.key, limit.key], name)
        assert.lengthOf(
          others.filter((key) => authorizations.has(key)),
          unconditional.has(name) ? 0 : 1,
          name
        )
        const takesKeys = others.includes(Authorization.key)
        assert.strictEqual(Context.getOption(endpoint.annotations, RequiredScope)._tag === "Some", takesKeys, name)
      }
    })
  })

  it("Where an endpoint has a JSON body, the check of its input runs inside of what parses the body", () => {
    const found: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint, middleware }) => {
        const keys: ReadonlyArray<string> = Array.from(middleware, ({ key }) => key)
        const parses = keys.indexOf(JsonBody.key)
        if (parses >= 0 && keys.indexOf(CheckedInput.key) > parses) found.push(`${endpoint.method} ${endpoint.path}`)
      }
    })
    assert.isEmpty(found)
  })

  it("Operations that accept an Idempotency-Key document it", () => {
    const accepting = operations.filter(({ operation }) =>
      operation.parameters.some((parameter) => parameter.in === "header" && parameter.name === "Idempotency-Key")
    )
    assert.sameMembers(
      accepting.map(({ name }) => name),
      [
        "POST /v1/posts",
        "PATCH /v1/posts/{id}",
        "PUT /v1/queue/order",
        "POST /v1/posts/{id}/copy",
        "POST /v1/posts/{id}/publish",
        "POST /v1/posts/{id}/approve",
        "POST /v1/posts/{id}/targets/{platform}/resolve",
        "DELETE /v1/posts/{id}",
        "DELETE /v1/posts/group/{group_id}"
      ]
    )
  })

  it("The document shows whole numbers as integers, and request bodies with examples", () => {
    const limit = spec.paths["/v1/posts"]?.get?.parameters.find(({ name }) => name === "limit")
    assert.deepStrictEqual(limit?.schema, { type: "integer", format: "int32", minimum: 1, maximum: 1000, default: 20 })
    assert.isNotEmpty(spec.components.schemas["CreatePost"]?.["examples"])
    assert.isNotEmpty(spec.components.schemas["UpdatePost"]?.["examples"])
  })
})

describe("PostCursor", () => {
  const before = PostId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")

  it("A cursor is URL-safe and decodes to its position", () => {
    const cursor = Schema.encodeSync(PostCursor)(PostPosition.make({ before }))
    assert.match(cursor, /^[\w-]+$/)
    assert.deepStrictEqual(Schema.decodeSync(PostCursor)(cursor), { v: 1, before })
  })
})
