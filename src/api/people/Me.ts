import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Scope } from "../../domain/people/apiKey.ts"
import { ApiKeyId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import { Role, roleScopes } from "../../domain/people/role.ts"
import { keyId, userId, workspaceId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { examples } from "../examples.ts"
import { callerOperation } from "../operation.ts"
import { RateLimit } from "../RateLimit.ts"

const key = {
  type: "key",
  id: keyId,
  name: "Release bot",
  scopes: ["posts:read", "posts:write"],
  requires_approval: false,
  expires_at: null
} as const

const user = {
  type: "user",
  id: userId,
  email: "ada@acme.example",
  name: "Ada Lovelace",
  role: "editor",
  scopes: roleScopes("editor")
} as const

const KeyCaller = Schema.Struct({
  type: Schema.Literal("key").annotateKey({ description: "The caller is a program with an API key." }),
  id: ApiKeyId.annotateKey({ description: "The key's id." }),
  name: Schema.String.annotateKey({ description: "The key's name." }),
  scopes: Schema.Array(Scope).annotateKey({ description: "What the key may do." }),
  requires_approval: Schema.Boolean.annotateKey({
    description: "Whether the key only drafts, so that a person or another key has to schedule and publish."
  }),
  expires_at: Schema.NullOr(Instant).annotateKey({ description: "When the key expires; null if it does not." })
})
  .annotate({ identifier: "KeyCaller", description: "A program with an API key." })
  .pipe(Schema.annotateEncoded({ examples: [key] }))

const UserCaller = Schema.Struct({
  type: Schema.Literal("user").annotateKey({ description: "The caller is a person with a session." }),
  id: UserId.annotateKey({ description: "The user's id." }),
  email: Schema.String.annotateKey({ description: "The user's email address." }),
  name: Schema.NullOr(Schema.String).annotateKey({ description: "The name that the user gave; null without one." }),
  role: Role.annotateKey({ description: "The user's role in the session's workspace." }),
  scopes: Schema.Array(Scope).annotateKey({ description: "What the role allows, as the scopes that a key would need." })
})
  .annotate({ identifier: "UserCaller", description: "A person with a session." })
  .pipe(Schema.annotateEncoded({ examples: [user] }))

const workspace = {
  id: WorkspaceId.annotateKey({ description: "The workspace's id." }),
  name: Schema.String.annotateKey({ description: "The workspace's name." })
}

const acme = { id: workspaceId, name: "Acme" }

const surroundings = {
  workspace: acme,
  rate_limit: { limit: 300, window_seconds: 60 },
  publishing: { held_since: null },
  platforms: "live"
} as const

const meOfUser = { ...surroundings, workspaces: [{ ...acme, role: "editor" }], caller: user } as const

const Me = Schema.Struct({
  workspace: Schema.Struct(workspace).annotateKey({ description: "The workspace that the caller has access to." }),
  workspaces: Schema.Array(
    Schema.Struct({ ...workspace, role: Role.annotateKey({ description: "The user's role there." }) })
  ).annotateKey({
    description: "The workspaces that the user can change to, in the order in which they joined; empty for a key."
  }),
  caller: Schema.Union([KeyCaller, UserCaller]).annotateKey({ description: "Who sent the request." }),
  rate_limit: Schema.Struct({
    limit: Schema.Int.annotateKey({ description: "The requests that the workspace may send in a window." }),
    window_seconds: Schema.Int.annotateKey({ description: "The length of a window, in seconds." })
  }).annotateKey({ description: "The workspace's rate limit, over all of its keys and sessions." }),
  publishing: Schema.Struct({
    held_since: Schema.NullOr(Instant).annotateKey({
      description: "When publishing was put on hold because a backup was restored; null if it is not on hold."
    })
  }).annotateKey({ description: "Whether posts are published." }),
  platforms: Schema.Literals(["sandbox", "live"]).annotateKey({
    description:
      "`live`: posts go to the platforms. `sandbox`: they go to a stand-in, which shows them to its operator."
  })
})
  .annotate({ identifier: "Me", description: "The caller, and what they have access to." })
  .pipe(Schema.annotateEncoded({ examples: [meOfUser] }))

export const OneMe = Schema.Struct({ data: Me })
  .annotate({ identifier: "OneMe", description: "The caller." })
  .pipe(
    examples({
      key: { data: { ...surroundings, workspaces: [], caller: key } },
      user: { data: meOfUser }
    })
  )

const get = HttpApiEndpoint.get("get", "/", { success: OneMe })
  .annotateMerge(
    callerOperation({
      id: "getMe",
      summary: "Get the caller",
      description: "Returns who sends the request, what they may do, and in which workspace."
    })
  )
  .middleware(RateLimit)
  .middleware(Authentication)

export class MeGroup extends HttpApiGroup.make("me")
  .add(get)
  .prefix("/v1/me")
  .annotateMerge(OpenApi.annotations({ title: "Me", description: "Who the caller is." })) {}
