import { hasScope, Scope } from "../../../src/domain/people/apiKey.ts"

/** The ids that a path or a body can contain. */
export interface PathIds {
  readonly key: string
  readonly member: string
  readonly invite: string
  readonly workspace: string
  readonly post: string
  readonly media: string
  readonly webhook: string
  readonly channel: string
  readonly integration: string
  readonly group: string
  readonly notification: string
}

/** An endpoint that needs a credential, and the status of its response to an authorized caller. */
export interface ProtectedEndpoint {
  readonly method: string
  readonly template: string
  readonly path: (ids: PathIds) => string
  readonly body?: (ids: PathIds) => unknown
  /** The scope that a key needs, or that a person's role has to cover. Undefined if the endpoint accepts no keys. */
  readonly scope?: Scope
  /** The role that a person needs. Set only if keys are not accepted. */
  readonly role?: "admin"
  /** True if every key and every session is accepted. */
  readonly anybody?: true
  readonly status: number
  /** The code of that response, if it is a problem with the request itself. */
  readonly code?: string
}

const unknownEvent = "01a1fc17-dc2e-777d-ad63-5a461a1bba46"

const withScope = (
  method: string,
  template: string,
  scope: Scope,
  status = 200,
  body?: unknown
): ProtectedEndpoint => ({
  method,
  template,
  path: ({ channel, group, integration, media, post, webhook }) =>
    template
      .replace("/v1/integrations/{id}", `/v1/integrations/${integration}`)
      .replace("/v1/channels/{id}", `/v1/channels/${channel}`)
      .replace("{id}", template.startsWith("/v1/media") ? media : template.startsWith("/v1/webhooks") ? webhook : post)
      .replace("{group_id}", group)
      .replace("{platform}", "twitter")
      .replace("{event_id}", unknownEvent)
      .replace("{delivery_id}", unknownEvent),
  scope,
  status,
  ...(body === undefined ? {} : { body: () => body })
})

const forPeople = (method: string, template: string): ProtectedEndpoint => ({
  method,
  template,
  path: ({ notification }) => template.replace("{id}", notification),
  status: 200
})

const forAdmins = (method: string, template: string, status = 200, body?: unknown): ProtectedEndpoint => ({
  method,
  template,
  path: ({ invite, key, member }) =>
    template.replace("{id}", template.startsWith("/v1/invites") ? invite : key).replace("{user_id}", member),
  role: "admin",
  status,
  ...(body === undefined ? {} : { body: () => body })
})

/** All scopes except those that cover the required scope. */
export const scopesWithout = (required: Scope | undefined): ReadonlyArray<Scope> =>
  Scope.literals.filter((scope) => required === undefined || !hasScope([scope], required))

const newPost = { content: "Hello", platforms: ["twitter"] }

/** Every endpoint except log-in. */
export const protectedEndpoints: ReadonlyArray<ProtectedEndpoint> = [
  withScope("GET", "/v1/posts", "posts:read"),
  withScope("POST", "/v1/posts", "posts:write", 201, newPost),
  withScope("POST", "/v1/posts/validate", "posts:read", 200, newPost),
  withScope("POST", "/v1/posts/split", "posts:read", 200, newPost),
  withScope("GET", "/v1/posts/{id}", "posts:read"),
  withScope("PATCH", "/v1/posts/{id}", "posts:write", 200, { content: "Changed" }),
  withScope("POST", "/v1/posts/{id}/copy", "posts:write", 201, {}),
  withScope("POST", "/v1/posts/{id}/publish", "posts:publish", 202),
  withScope("POST", "/v1/posts/{id}/approve", "posts:publish", 200, { revision: 1, publish_now: true }),
  withScope("POST", "/v1/posts/{id}/reject", "posts:publish", 200, { revision: 1, reason: "Not yet" }),
  {
    ...withScope("POST", "/v1/posts/{id}/targets/{platform}/resolve", "posts:publish", 400, {
      outcome: "not_published"
    }),
    code: "invalid_state"
  },
  withScope("DELETE", "/v1/posts/{id}", "posts:delete"),
  withScope("GET", "/v1/posts/group/{group_id}", "posts:read"),
  withScope("DELETE", "/v1/posts/group/{group_id}", "posts:delete"),
  withScope("GET", "/v1/media", "posts:read"),
  { ...withScope("POST", "/v1/media", "media:write", 415), code: "unsupported_media_type" },
  withScope("POST", "/v1/media/from-url", "media:write", 202, { url: "https://example.com/picture.png" }),
  withScope("GET", "/v1/media/{id}", "posts:read"),
  withScope("PATCH", "/v1/media/{id}", "media:write", 200, { alt: "A picture" }),
  withScope("DELETE", "/v1/media/{id}", "media:write"),
  withScope("GET", "/v1/media/{id}/content", "posts:read"),
  withScope("GET", "/v1/media/{id}/thumbnail", "posts:read"),
  withScope("GET", "/v1/posts/{id}/history", "posts:read"),
  withScope("GET", "/v1/queue", "posts:read"),
  withScope("PUT", "/v1/queue", "posts:publish", 200, { time_zone: "Europe/Berlin", entries: [] }),
  withScope("GET", "/v1/queue/next", "posts:read"),
  withScope("GET", "/v1/outlook", "posts:read"),
  {
    ...withScope("PUT", "/v1/queue/order", "posts:write", 404, {
      posts: ["01912345-6789-7abc-8def-0123456789ab", "01912345-6789-7abc-8def-0123456789ac"].map((id) => ({
        id,
        revision: 1
      }))
    }),
    code: "not_found"
  },
  {
    ...withScope("GET", "/v1/queue/slots", "posts:read"),
    path: () => "/v1/queue/slots?from=2026-01-01T00:00:00Z&to=2026-01-08T00:00:00Z"
  },
  withScope("GET", "/v1/events", "posts:read"),
  withScope("GET", "/v1/webhooks", "webhooks:manage"),
  withScope("POST", "/v1/webhooks", "webhooks:manage", 201, { url: "https://hooks.example.com/posts" }),
  withScope("GET", "/v1/webhooks/{id}", "webhooks:manage"),
  withScope("PATCH", "/v1/webhooks/{id}", "webhooks:manage", 200, { enabled: false }),
  withScope("DELETE", "/v1/webhooks/{id}", "webhooks:manage"),
  withScope("POST", "/v1/webhooks/{id}/rotate-secret", "webhooks:manage", 200, {}),
  withScope("POST", "/v1/webhooks/{id}/test", "webhooks:manage", 202),
  withScope("GET", "/v1/webhooks/{id}/deliveries", "webhooks:manage"),
  {
    ...withScope("POST", "/v1/webhooks/{id}/deliveries/{event_id}/resend", "webhooks:manage", 404),
    code: "not_found"
  },
  withScope("POST", "/v1/webhooks/{id}/replay", "webhooks:manage", 202, { since: "2026-01-31T12:00:00Z" }),
  withScope("GET", "/v1/channels", "webhooks:manage"),
  withScope("POST", "/v1/channels", "webhooks:manage", 201, {
    kind: "mattermost",
    name: "#social",
    url: "https://chat.example.com/hooks/abc123"
  }),
  withScope("GET", "/v1/channels/{id}", "webhooks:manage"),
  withScope("PATCH", "/v1/channels/{id}", "webhooks:manage", 200, { types: ["post.failed"] }),
  withScope("DELETE", "/v1/channels/{id}", "webhooks:manage"),
  withScope("POST", "/v1/channels/{id}/test", "webhooks:manage"),
  withScope("GET", "/v1/channels/{id}/deliveries", "webhooks:manage"),
  {
    ...withScope("POST", "/v1/channels/{id}/deliveries/{delivery_id}/resend", "webhooks:manage", 404),
    code: "not_found"
  },
  withScope("GET", "/v1/integrations", "integrations:read"),
  { ...withScope("POST", "/v1/integrations/bluesky", "integrations:write", 400, {}), code: "invalid_request" },
  ...["facebook", "instagram", "linkedin", "threads", "tiktok", "twitter", "youtube"].map((platform) => ({
    ...withScope("POST", `/v1/integrations/${platform}`, "integrations:write", 400, { return_to: "//elsewhere" }),
    code: "invalid_request"
  })),
  {
    ...withScope("POST", "/v1/integrations/decision", "integrations:write", 404, {
      token: "unknown",
      replaces: "account-twitter",
      decision: "replace"
    }),
    code: "not_found"
  },
  withScope("GET", "/v1/integrations/{id}", "integrations:read"),
  withScope("GET", "/v1/integrations/{id}/posting-options", "integrations:read"),
  withScope("GET", "/v1/integrations/{id}/avatar", "integrations:read"),
  withScope("DELETE", "/v1/integrations/{id}", "integrations:write"),
  withScope("GET", "/v1/notifications", "notifications:read"),
  forPeople("POST", "/v1/notifications/{id}/read"),
  forPeople("POST", "/v1/notifications/read-all"),
  forPeople("DELETE", "/v1/session"),
  { ...forPeople("PUT", "/v1/session/workspace"), body: ({ workspace }) => ({ workspace_id: workspace }) },
  {
    ...forPeople("PUT", "/v1/session/password"),
    body: () => ({ current_password: "wrong", new_password: "a long and secret sentence" }),
    status: 400,
    code: "invalid_request"
  },
  forPeople("GET", "/v1/session/profile"),
  { ...forPeople("PATCH", "/v1/session/profile"), body: () => ({ hours: 24 }) },
  forPeople("GET", "/v1/session/mail"),
  { ...forPeople("PATCH", "/v1/session/mail"), body: () => ({ digest_hour: 9 }) },
  forPeople("GET", "/v1/session/sessions"),
  forPeople("DELETE", "/v1/session/sessions"),
  { ...forPeople("DELETE", "/v1/session/sessions/{id}"), status: 404, code: "not_found" },
  { ...forPeople("GET", "/v1/me"), anybody: true },
  { ...forPeople("GET", "/v1/platforms"), anybody: true },
  forAdmins("GET", "/v1/keys"),
  forAdmins("POST", "/v1/keys", 201, { name: "A key" }),
  forAdmins("POST", "/v1/keys/{id}/rotate", 201, {}),
  forAdmins("DELETE", "/v1/keys/{id}"),
  forAdmins("GET", "/v1/members"),
  forAdmins("PATCH", "/v1/members/{user_id}", 200, { role: "editor" }),
  forAdmins("DELETE", "/v1/members/{user_id}"),
  forPeople("GET", "/v1/outlook/settings"),
  forAdmins("PATCH", "/v1/outlook/settings", 200, { hour: 19 }),
  forAdmins("GET", "/v1/invites"),
  forAdmins("POST", "/v1/invites", 201, { email: "somebody@example.com", role: "viewer" }),
  forAdmins("DELETE", "/v1/invites/{id}"),
  forAdmins("GET", "/v1/mail/deliveries"),
  {
    ...forAdmins("POST", "/v1/mail/deliveries/{id}/resend"),
    path: () => `/v1/mail/deliveries/${unknownEvent}/resend`,
    status: 404,
    code: "not_found"
  }
]
