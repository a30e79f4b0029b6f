import type { Scope } from "../../../src/domain/apiKey.ts"

/** What an endpoint's path can name. */
export interface Named {
  readonly post: string
  readonly group: string
  readonly notification: string
}

/** An endpoint that asks who is calling, and how it answers a caller who may. */
export interface Endpoint {
  readonly method: string
  readonly template: string
  readonly path: (named: Named) => string
  readonly body?: unknown
  /** What a key needs, where keys are taken. */
  readonly scope?: Scope
  readonly takesSessions: boolean
  readonly status: number
}

const withKey = (method: string, template: string, scope: Scope, status = 200, body?: unknown): Endpoint => ({
  method,
  template,
  path: ({ group, post }) => template.replace("{id}", post).replace("{group_id}", group),
  scope,
  takesSessions: false,
  status,
  body
})

const withSession = (method: string, template: string): Endpoint => ({
  method,
  template,
  path: ({ notification }) => template.replace("{id}", notification),
  takesSessions: true,
  status: 200
})

const newPost = { content: "Hello", platforms: ["twitter"] }

/** Every endpoint but the one that logs in. */
export const protectedEndpoints: ReadonlyArray<Endpoint> = [
  withKey("GET", "/v1/posts", "posts:read"),
  withKey("POST", "/v1/posts", "posts:write", 201, newPost),
  withKey("POST", "/v1/posts/validate", "posts:read", 200, newPost),
  withKey("GET", "/v1/posts/{id}", "posts:read"),
  withKey("PATCH", "/v1/posts/{id}", "posts:write", 200, { content: "Changed" }),
  withKey("POST", "/v1/posts/{id}/publish", "posts:publish", 202),
  withKey("DELETE", "/v1/posts/{id}", "posts:write"),
  withKey("GET", "/v1/posts/group/{group_id}", "posts:read"),
  withKey("DELETE", "/v1/posts/group/{group_id}", "posts:write"),
  withKey("GET", "/v1/integrations", "integrations:read"),
  { ...withKey("GET", "/v1/notifications", "notifications:read"), takesSessions: true },
  withSession("POST", "/v1/notifications/{id}/read"),
  withSession("POST", "/v1/notifications/read-all"),
  withSession("DELETE", "/v1/session")
]
