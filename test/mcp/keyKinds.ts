import { Duration, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Scope } from "../../src/domain/people/apiKey.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { keyHeaders, sessionHeaders } from "../support/http/client.ts"
import { makeKey, makeTeam } from "../support/http/team.ts"

/** The scopes of a key that the dashboard creates for an agent that is allowed to add media. */
const agentScopes: ReadonlyArray<Scope> = [
  "posts:read",
  "posts:write",
  "integrations:read",
  "notifications:read",
  "media:write"
]

export const kinds = [
  "full",
  ...Scope.literals,
  "requires approval",
  "of an agent",
  "rotated",
  "successor",
  "of another workspace",
  "expired",
  "revoked",
  "replaced",
  "session"
] as const
export type Kind = (typeof kinds)[number]

/** A workspace with a key of every kind. */
export const makeKeys = Effect.gen(function* () {
  const { apiKeys } = yield* Repo
  const team = yield* makeTeam
  const { workspaceId } = team
  const others = yield* makeTeam
  const single = yield* Effect.forEach(Scope.literals, (scope) =>
    Effect.map(makeKey(workspaceId, { scopes: [scope] }), ({ key }) => [scope, keyHeaders(key)] as const)
  )
  const expired = yield* makeKey(workspaceId, { expiresIn: Duration.minutes(1) })
  const revoked = yield* makeKey(workspaceId)
  yield* apiKeys.revoke(revoked.id)
  const replaced = yield* makeKey(workspaceId)
  yield* apiKeys.rotate(replaced.id, Duration.zero)
  const rotated = yield* makeKey(workspaceId, { requiresApproval: true })
  const successor = yield* apiKeys.rotate(rotated.id, Duration.hours(1))
  const drafting = yield* makeKey(workspaceId, { requiresApproval: true })
  const agent = yield* makeKey(workspaceId, { requiresApproval: true, scopes: agentScopes })
  yield* TestClock.adjust("2 minutes")
  const credentials = new Map<Kind, Readonly<Record<string, string>>>([
    ["full", keyHeaders(team.key)],
    ...single,
    ["requires approval", keyHeaders(drafting.key)],
    ["of an agent", keyHeaders(agent.key)],
    ["rotated", keyHeaders(rotated.key)],
    ["successor", keyHeaders(Redacted.value(successor.key))],
    ["of another workspace", keyHeaders(others.key)],
    ["expired", keyHeaders(expired.key)],
    ["revoked", keyHeaders(revoked.key)],
    ["replaced", keyHeaders(replaced.key)],
    ["session", sessionHeaders(team.cookie)]
  ])
  return {
    workspaceId,
    /** The headers that identify a caller. */
    as: (kind: Kind) => credentials.get(kind) ?? {}
  }
})
