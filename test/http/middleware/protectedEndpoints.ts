import { hasScope, Scope } from "../../../src/domain/apiKey.ts"

/** The ids that a path can contain. */
export interface PathIds {
  readonly post: string
  readonly media: string
  readonly webhook: string
  readonly group: string
  readonly notification: string
}

/** An endpoint that needs a credential, and the status of its response to an authorized caller. */
export interface ProtectedEndpoint {
  readonly method: string
  readonly template: string
  readonly path: (ids: PathIds) => string
  readonly body?: unknown
  /** The scope that a key needs. Undefined if the endpoint accepts no keys. */
  readonly scope?: Scope
  readonly acceptsSessions: boolean
  readonly status: number
  /** The code of that response, where it is a problem of the request itself. */
  readonly code?: string
}

const unknownEvent = "01a1fc17-dc2e-777d-ad63-5a461a1bba46"

const forKeys = (method: string, template: string, scope: Scope, status = 200, body?: unknown): ProtectedEndpoint => ({
  method,
  template,
  path: ({ group, media, post, webhook }) =>
    template
      .replace("{id}", template.startsWith("/v1/media") ? media : template.startsWith("/v1/webhooks") ? webhook : post)
      .replace("{group_id}", group)
      .replace("{event_id}", unknownEvent),
  scope,
  acceptsSessions: false,
  status,
  body
})

const forSessions = (method: string, template: string): ProtectedEndpoint => ({
  method,
  template,
  path: ({ notification }) => template.replace("{id}", notification),
  acceptsSessions: true,
  status: 200
})

/** All scopes but those that cover the required one. */
export const scopesWithout = (required: Scope | undefined): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) => required === undefined || !hasScope([scope], required))

const newPost = { content: "Hello", platforms: ["twitter"] }

/** Every endpoint except log-in. */
export const protectedEndpoints: ReadonlyArray<ProtectedEndpoint> = [
  forKeys("GET", "/v1/posts", "posts:read"),
  forKeys("POST", "/v1/posts", "posts:write", 201, newPost),
  forKeys("POST", "/v1/posts/validate", "posts:read", 200, newPost),
  forKeys("GET", "/v1/posts/{id}", "posts:read"),
  forKeys("PATCH", "/v1/posts/{id}", "posts:write", 200, { content: "Changed" }),
  forKeys("POST", "/v1/posts/{id}/publish", "posts:publish", 202),
  forKeys("DELETE", "/v1/posts/{id}", "posts:delete"),
  forKeys("GET", "/v1/posts/group/{group_id}", "posts:read"),
  forKeys("DELETE", "/v1/posts/group/{group_id}", "posts:delete"),
  forKeys("GET", "/v1/media", "posts:read"),
  { ...forKeys("POST", "/v1/media", "media:write", 400), code: "invalid_request" },
  forKeys("POST", "/v1/media/from-url", "media:write", 202, { url: "https://example.com/picture.png" }),
  forKeys("GET", "/v1/media/{id}", "posts:read"),
  forKeys("PATCH", "/v1/media/{id}", "media:write", 200, { alt: "A picture" }),
  forKeys("DELETE", "/v1/media/{id}", "media:write"),
  forKeys("GET", "/v1/media/{id}/content", "posts:read"),
  forKeys("GET", "/v1/media/{id}/thumbnail", "posts:read"),
  forKeys("GET", "/v1/posts/{id}/history", "posts:read"),
  forKeys("GET", "/v1/events", "posts:read"),
  forKeys("GET", "/v1/webhooks", "webhooks:manage"),
  forKeys("POST", "/v1/webhooks", "webhooks:manage", 201, { url: "https://hooks.example.com/posts" }),
  forKeys("GET", "/v1/webhooks/{id}", "webhooks:manage"),
  forKeys("PATCH", "/v1/webhooks/{id}", "webhooks:manage", 200, { enabled: false }),
  forKeys("DELETE", "/v1/webhooks/{id}", "webhooks:manage"),
  forKeys("POST", "/v1/webhooks/{id}/rotate-secret", "webhooks:manage", 200, {}),
  forKeys("POST", "/v1/webhooks/{id}/test", "webhooks:manage", 202),
  forKeys("GET", "/v1/webhooks/{id}/deliveries", "webhooks:manage"),
  {
    ...forKeys("POST", "/v1/webhooks/{id}/deliveries/{event_id}/resend", "webhooks:manage", 404),
    code: "not_found"
  },
  forKeys("POST", "/v1/webhooks/{id}/replay", "webhooks:manage", 202, { since: "2026-01-31T12:00:00Z" }),
  forKeys("GET", "/v1/integrations", "integrations:read"),
  { ...forKeys("GET", "/v1/notifications", "notifications:read"), acceptsSessions: true },
  forSessions("POST", "/v1/notifications/{id}/read"),
  forSessions("POST", "/v1/notifications/read-all"),
  forSessions("DELETE", "/v1/session")
]
