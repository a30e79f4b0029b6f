import { Duration, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { defaultKeyOverlap, KeyPurpose, maxKeyOverlap, maxKeys, Scope } from "../../domain/people/apiKey.ts"
import { ApiKeyId } from "../../domain/ids.ts"
import { describedInstant, Instant } from "../../domain/instant.ts"
import { NamedAuthor, userExample } from "../../domain/people/namedAuthor.ts"
import { powerfulScopes, scopes } from "../../domain/plain/access.ts"
import { Name } from "../../domain/name.ts"
import { maxNameLength } from "../../domain/plain/limits.ts"
import { keyId } from "../../domain/samples.ts"
import { AdminAuthorization } from "../Authorization.ts"
import { Authentication } from "../Authentication.ts"
import { listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { adminOperation } from "../operation.ts"
import { optional } from "../orNull.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const maxLifetime = Duration.days(3_650)

const keyExample = {
  id: keyId,
  name: "Release bot",
  prefix: "sps_5Gt8kQzR",
  scopes: ["posts:read", "posts:write"],
  requires_approval: false,
  purpose: null,
  created_at: "2030-01-02T08:15:30.250Z",
  created_by: userExample,
  expires_at: "2030-04-02T08:15:30.250Z",
  last_used_at: "2030-01-31T09:00:00.000Z",
  rotated_at: null,
  revoked_at: null
} as const

const nullableInstant = (description: string) => Schema.NullOr(Instant).annotateKey({ description })

const Key = Schema.Struct({
  id: ApiKeyId.annotateKey({ description: "The key's id." }),
  name: Schema.String.annotateKey({ description: "What people recognize the key by." }),
  prefix: Schema.String.annotateKey({ description: "The first characters of the key, to tell keys apart." }),
  scopes: Schema.Array(Scope).annotateKey({ description: "What the key may do." }),
  requires_approval: Schema.Boolean.annotateKey({
    description: "Whether the key only drafts, so that a person or another key has to schedule and publish."
  }),
  purpose: Schema.NullOr(KeyPurpose).annotateKey({
    description:
      "The purpose that the key was created with; null if that is not known. It does not affect what the key may do."
  }),
  created_at: describedInstant("When the key was created."),
  created_by: Schema.NullOr(NamedAuthor).annotateKey({
    description: "Who created the key, or rotated it; null for an operator, and if that is not known."
  }),
  expires_at: nullableInstant("When the key stops working; null if it does not expire."),
  last_used_at: nullableInstant("When the key was last used, to the minute; null if it never was."),
  rotated_at: nullableInstant("When the key was replaced by another one; null if it was not."),
  revoked_at: nullableInstant("When the key was revoked; null if it was not.")
})
  .annotate({ identifier: "ApiKey", description: "An API key, without its secret." })
  .pipe(Schema.annotateEncoded({ examples: [keyExample] }))

const seconds = (minimum: number, maximum: Duration.Duration) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum: Duration.toSeconds(maximum) })).annotate({ format: "int32" })

const CreateKey = Schema.Struct({
  name: Name.annotateKey({
    description: `What people recognize the key by: up to ${maxNameLength} characters on one line.`
  }),
  scopes: optional(
    Schema.Array(Scope).check(Schema.isMinLength(1), Schema.isMaxLength(scopes.length), Schema.isUnique()),
    `What the key may do. By default everything but ${powerfulScopes.map((scope) => `\`${scope}\``).join(" and ")}.`
  ),
  requires_approval: optional(
    Schema.Boolean,
    "Whether the key only drafts, so that a person or another key has to schedule and publish; false by default. Such a key can't have " +
      `${powerfulScopes.map((scope) => `\`${scope}\``).join(" or ")}.`
  ),
  purpose: optional(
    KeyPurpose,
    "`agent`: an agent works with the key, so that people find it among their agents. It does not affect what the key may do."
  ),
  expires_in: optional(
    seconds(60, maxLifetime),
    "The number of seconds after which the key expires, from a minute to ten years; by default it does not expire."
  )
})
  .annotate({ identifier: "CreateApiKey", description: "A key to create. Unknown members are rejected." })
  .pipe(
    examples({
      bot: { name: "Release bot", scopes: ["posts:read", "posts:write"], expires_in: 7_776_000 },
      agent: { name: "Writing agent", requires_approval: true, purpose: "agent" }
    })
  )

const RotateKey = Schema.Struct({
  overlap: optional(
    seconds(0, maxKeyOverlap),
    `The number of seconds for which the former key still works, up to 30 days; ${Duration.toSeconds(defaultKeyOverlap)} by default.`
  )
})
  .annotate({ identifier: "RotateApiKey", description: "How to replace the key. Unknown members are rejected." })
  .pipe(examples({ day: { overlap: 86_400 }, now: { overlap: 0 } }))

const secretExample = "sps_5Gt8kQzR1bYw7mXc4nVd9pLf2hJs6aTe_0aB3xK"

export const KeyWithSecret = Schema.Struct({
  data: Key,
  secret: Schema.RedactedFromValue(
    Schema.String.annotate({ description: "The key itself, for `Authorization`. It can't be shown again." })
  )
})
  .annotate({ identifier: "ApiKeyWithSecret", description: "The key, and its secret." })
  .pipe(examples({ created: { data: { ...keyExample, last_used_at: null }, secret: secretExample } }))

export const OneKey = Schema.Struct({ data: Key })
  .annotate({ identifier: "OneApiKey", description: "The key." })
  .pipe(examples({ revoked: { data: { ...keyExample, revoked_at: "2030-02-01T09:00:00.000Z" } } }))

export const KeyList = listOf(Key, "The keys.")
  .annotate({ identifier: "ApiKeyList", description: "The workspace's keys, newest first." })
  .pipe(examples({ list: { data: [keyExample] } }))

const params = {
  id: ApiKeyId.annotateKey({ description: "The key's id.", examples: [ApiKeyId.make(keyId)] })
}

const list = HttpApiEndpoint.get("list", "/", { success: KeyList })
  .annotateMerge(
    adminOperation({
      id: "listKeys",
      summary: "List API keys",
      description:
        "Lists the workspace's keys, newest first, without their secrets. Of the expired and revoked keys, only the latest 1,000."
    })
  )
  .middleware(CheckedInput)

const create = HttpApiEndpoint.post("create", "/", {
  payload: CreateKey,
  success: KeyWithSecret.pipe(HttpApiSchema.status(201)),
  error: shown.KeyLimit
})
  .annotateMerge(
    adminOperation({
      id: "createKey",
      summary: "Create an API key",
      description: `Creates a key and shows its secret, once. A workspace may have ${maxKeys.toLocaleString("en")} keys.`
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const rotate = HttpApiEndpoint.post("rotate", "/:id/rotate", {
  params,
  payload: RotateKey,
  success: KeyWithSecret.pipe(HttpApiSchema.status(201)),
  error: [shown.NotFound, shown.InvalidState, shown.KeyLimit]
})
  .annotateMerge(
    adminOperation({
      id: "rotateKey",
      summary: "Rotate an API key",
      description:
        "Replaces a key by one with the same permissions and lifetime, and shows its secret, once. The former key works until the overlap " +
        "ends. If the key requires approval, the new one may change the former key's drafts."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const revoke = HttpApiEndpoint.delete("revoke", "/:id", { params, success: OneKey, error: shown.NotFound })
  .annotateMerge(
    adminOperation({
      id: "revokeKey",
      summary: "Revoke an API key",
      description: "Ends a key permanently. It stops working within five seconds."
    })
  )
  .middleware(CheckedInput)

export class Keys extends HttpApiGroup.make("keys")
  .add(list, create, rotate, revoke)
  .middleware(AdminAuthorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/keys")
  .annotateMerge(OpenApi.annotations({ title: "API keys", description: "Access of programs to the workspace." })) {}
