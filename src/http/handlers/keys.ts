import { Duration, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import { defaultScopes } from "../../domain/plain/access.ts"
import { defaultKeyOverlap, excessiveScopes, type Scope } from "../../domain/people/apiKey.ts"
import { type ActingMember, adminAuthority } from "../../domain/people/authority.ts"
import type { ApiKey, CreatedApiKey } from "../../repo/apiKeys/apiKeys.ts"
import { Repo } from "../../repo/Repo.ts"
import { failInvalid, orProblem } from "../problems.ts"
import { asData, asSession, wholeList } from "./shared.ts"

const shownKey = (key: ApiKey) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  requires_approval: key.requiresApproval,
  purpose: key.purpose,
  created_at: key.createdAt,
  created_by: key.createdBy,
  expires_at: key.expiresAt,
  last_used_at: key.lastUsedAt,
  rotated_at: key.rotatedAt,
  revoked_at: key.revokedAt
})

const withSecret = ({ key, stored }: CreatedApiKey) => ({ data: shownKey(stored), secret: key })

const changeBy = (session: ActingMember) => ({ workspaceId: session.workspaceId, by: adminAuthority(session) })

const checkScopes = (scopes: ReadonlyArray<Scope>, requiresApproval: boolean) => {
  const excessive = excessiveScopes(scopes, requiresApproval)
  return excessive.length === 0
    ? Effect.void
    : failInvalid(
        excessive.map((scope) => ({
          path: ["scopes", scopes.indexOf(scope)],
          message: `A key that requires approval can't have the scope ${scope}`
        }))
      )
}

export const keysLayer = HttpApiBuilder.group(
  Api,
  "keys",
  Effect.fn(function* (handlers) {
    const { apiKeys } = yield* Repo

    return handlers
      .handle("list", () =>
        asSession(({ workspaceId }) => apiKeys.list(workspaceId)).pipe(
          Effect.map((keys) => keys.toReversed().map(shownKey)),
          asData,
          orProblem,
          wholeList
        )
      )
      .handle(
        "create",
        Effect.fnUntraced(function* ({ payload: { expires_in, name, purpose, requires_approval = false, scopes } }) {
          const session = yield* CurrentSession
          const chosen = scopes ?? defaultScopes
          yield* checkScopes(chosen, requires_approval)
          const expiresIn = expires_in === undefined ? null : Duration.seconds(expires_in)
          return yield* apiKeys
            .create({
              workspaceId: session.workspaceId,
              name,
              scopes: chosen,
              requiresApproval: requires_approval,
              ...(purpose === undefined ? {} : { purpose }),
              expiresIn,
              by: adminAuthority(session)
            })
            .pipe(
              // NotFound would mean an unknown workspace, but the session's workspace exists.
              Effect.catchTag("NotFound", Effect.die),
              Effect.map(withSecret),
              orProblem
            )
        })
      )
      .handle("rotate", ({ params: { id }, payload: { overlap } }) =>
        asSession((session) =>
          apiKeys.rotate(id, overlap === undefined ? defaultKeyOverlap : Duration.seconds(overlap), changeBy(session))
        ).pipe(Effect.map(withSecret), orProblem)
      )
      .handle("revoke", ({ params: { id } }) =>
        asSession((session) => apiKeys.revoke(id, changeBy(session))).pipe(Effect.map(shownKey), asData, orProblem)
      )
  })
)
