import { Duration, Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { defaultScopes, powerfulScopes } from "../domain/plain/access.ts"
import { defaultKeyOverlap, excessiveScopes, Scope } from "../domain/people/apiKey.ts"
import { ApiKeyId } from "../domain/ids.ts"
import type { ApiKey } from "../repo/apiKeys/apiKeys.ts"
import { Name } from "../domain/name.ts"
import { Repo } from "../repo/Repo.ts"
import { argumentOf, flagOf, json, toggle, workspace } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

const id = argumentOf("id", ApiKeyId, "`key list` prints the ids").pipe(
  Argument.withDescription("ID of the key, from `key list`")
)

const units = { d: "days", h: "hours", m: "minutes", s: "seconds" } as const

const parseDuration = (text: string): Option.Option<Duration.Duration> => {
  const match = /^(?<count>[1-9]\d{0,5})(?<unit>[dhms])$/.exec(text)
  const { count, unit } = match?.groups ?? {}
  return Option.map(Option.fromNullishOr(Object.entries(units).find(([letter]) => letter === unit)), ([, name]) =>
    Duration.fromInputUnsafe(`${Number(count)} ${name}`)
  )
}

const durationFlag = (name: string) =>
  Flag.String(name).pipe(
    Flag.filterMap(parseDuration, (text) => `Expected a duration such as 90d, 12h, 30m or 45s, got ${text}`)
  )

const keyRecord = (key: ApiKey) => ({
  id: key.id,
  workspace_id: key.workspaceId,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  requires_approval: key.requiresApproval,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  rotated_at: key.rotatedAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt
})

class ScopesNeedTrust extends Schema.TaggedError<ScopesNeedTrust>()("ScopesNeedTrust", { message: Schema.String }) {}

const create = Command.make(
  "create",
  {
    workspace,
    name: flagOf("name", Name).pipe(
      Flag.withDefault("API key"),
      Flag.withDescription("Name of the key, to recognize it by")
    ),
    scopes: Flag.Literals("scope", Scope.literals).pipe(
      Flag.atLeast(0),
      Flag.withDescription(`Repeat it for several scopes. By default all but ${powerfulScopes.join(" and ")}`)
    ),
    requiresApproval: toggle("requires-approval", "The key may create drafts, but not schedule or publish"),
    expiresIn: Flag.optional(
      durationFlag("expires-in").pipe(
        Flag.withDescription("When the key expires, such as 90d, 12h, 30m or 45s from now. Never by default")
      )
    ),
    json
  },
  Effect.fn(function* (input) {
    const excessive = excessiveScopes(input.scopes, input.requiresApproval)
    if (excessive.length > 0) {
      return yield* new ScopesNeedTrust({
        message: `A key that requires approval can't have the scope ${excessive.join(" or ")}`
      })
    }
    const { apiKeys } = yield* Repo
    const { key, stored } = yield* apiKeys.create({
      workspaceId: input.workspace,
      name: input.name,
      scopes: input.scopes.length === 0 ? defaultScopes : input.scopes,
      requiresApproval: input.requiresApproval,
      expiresIn: Option.getOrNull(input.expiresIn)
    })
    yield* printRecord(input.json, { key: Redacted.value(key), ...keyRecord(stored) })
  })
).pipe(Command.withDescription("Create an API key and print it. It can't be shown again"))

const list = Command.make(
  "list",
  { workspace: Flag.optional(workspace), json },
  Effect.fn(function* (input) {
    const { apiKeys, workspaces } = yield* Repo
    if (Option.isSome(input.workspace)) yield* workspaces.check(input.workspace.value)
    const keys = yield* apiKeys.list(Option.getOrNull(input.workspace))
    yield* printTable(input.json, keys.map(keyRecord), "There are no keys yet")
  })
).pipe(Command.withDescription("List the API keys, oldest first"))

const revoke = Command.make(
  "revoke",
  { id, json },
  Effect.fn(function* (input) {
    const { apiKeys } = yield* Repo
    yield* printRecord(input.json, keyRecord(yield* apiKeys.revoke(input.id)))
  })
).pipe(Command.withDescription("Revoke an API key permanently"))

const rotate = Command.make(
  "rotate",
  {
    id,
    overlap: durationFlag("overlap").pipe(
      Flag.withDefault(defaultKeyOverlap),
      Flag.withDescription("How long the old key stays valid, such as 90d, 12h, 30m or 45s. 24h by default")
    ),
    json
  },
  Effect.fn(function* (input) {
    const { apiKeys } = yield* Repo
    const { key, stored } = yield* apiKeys.rotate(input.id, input.overlap)
    yield* printRecord(input.json, { key: Redacted.value(key), ...keyRecord(stored) })
  })
).pipe(
  Command.withDescription("Replace an API key by one with the same permissions, and print it. It can't be shown again")
)

export const key = Command.make("key").pipe(
  Command.withDescription("API keys: each gives access to one workspace"),
  Command.withSubcommands([create, list, rotate, revoke])
)
