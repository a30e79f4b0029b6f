import { problem } from "./expectedResponses.ts"
import type { HostileCase } from "./hostileCase.ts"
import { jsonType, request } from "./requestBytes.ts"

const someEmail = "mallory@example.com"

/** Requests that would succeed with the right role or credential. */
const attempts = {
  decisions: [
    ["approve a post", "POST /v1/posts/{post}/approve", { revision: 1, publish_now: true }],
    ["reject a post", "POST /v1/posts/{post}/reject", { revision: 1, reason: "No" }],
    ["resolve a post", "POST /v1/posts/{post}/targets/twitter/resolve", { outcome: "published" }]
  ],
  administration: [
    ["list the keys", "GET /v1/keys", undefined],
    ["create a key", "POST /v1/keys", { name: "Mine", scopes: ["posts:publish"] }],
    ["rotate a key", "POST /v1/keys/{agentId}/rotate", {}],
    ["revoke a key", "DELETE /v1/keys/{agentId}", undefined],
    ["list the members", "GET /v1/members", undefined],
    ["make a viewer an admin", "PATCH /v1/members/{viewerId}", { role: "admin" }],
    ["remove an admin", "DELETE /v1/members/{admin}", undefined],
    ["list the invitations", "GET /v1/invites", undefined],
    ["invite somebody", "POST /v1/invites", { email: someEmail, role: "admin" }],
    ["take an invitation back", "DELETE /v1/invites/{invite}", undefined]
  ],
  accounts: [
    ["connect an account", "POST /v1/integrations/bluesky", { identifier: "a.example", app_password: "a-b-c-d" }],
    ["begin to connect an account", "POST /v1/integrations/twitter", {}],
    [
      "decide on another account",
      "POST /v1/integrations/decision",
      { token: "t", replaces: "account-twitter", decision: "replace" }
    ],
    ["disconnect an account", "DELETE /v1/integrations/{integration}", undefined]
  ]
} as const

const send = (line: string, credential: ReadonlyArray<string>, body: object | undefined) =>
  request(
    line,
    body === undefined
      ? { anonymous: true, headers: credential }
      : { anonymous: true, headers: [...credential, jsonType], body: JSON.stringify(body) }
  )

const caller = (who: string, ...credential: ReadonlyArray<string>) => {
  const gets =
    (response: ReturnType<typeof problem>) =>
    ([what, line, body]: readonly [string, string, object | undefined]): HostileCase => ({
      title: `a request to ${what} as ${who}`,
      send: send(line, credential, body),
      responses: [response]
    })
  return gets
}

const asViewer = caller("a viewer", "Cookie: {viewer}", "Sec-Fetch-Site: same-origin")
const asAgent = caller("a key that requires approval", "Authorization: Bearer {agent}")

const insufficientRole = (roles: string) => problem(403, "insufficient_role", `This needs the role ${roles}`)

const approvalRequired = problem(
  403,
  "approval_required",
  "This key may draft, not publish; a person has to publish the post"
)

const copying = ["copy what is missing of a post", "POST /v1/posts/{post}/copy", { what: "missing" }] as const

const copyingRequired = problem(
  403,
  "approval_required",
  "This key may copy only a whole post: after a copy of what is missing, the post itself would not be published there again"
)

const sessionRequired = problem(
  403,
  "session_required",
  "This is done as a person who has logged in, not with an API key"
)

const insufficientScope = problem(403, "insufficient_scope", "The key needs the scope integrations:write")

/** Requests that a member's role or a credential's kind does not allow. */
export const people: ReadonlyArray<HostileCase> = [
  ...attempts.decisions.map(asViewer(insufficientRole("editor or admin"))),
  ...attempts.administration.map(asViewer(insufficientRole("admin"))),
  ...attempts.accounts.map(asViewer(insufficientRole("admin"))),
  asViewer(insufficientRole("editor or admin"))(copying),
  asAgent(copyingRequired)(copying),
  ...attempts.decisions.map(asAgent(approvalRequired)),
  ...attempts.administration.map(asAgent(sessionRequired)),
  ...attempts.accounts.map(asAgent(insufficientScope))
]
