import { Duration, Effect, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { type Caller, CurrentCaller } from "../../api/Authentication.ts"
import { SessionEnded } from "../../domain/errors.ts"
import { roleScopes } from "../../domain/people/role.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { rateLimitWindow, ServiceFacts } from "../ServiceFacts.ts"
import { asData } from "./shared.ts"

/** Fails if the caller was removed after the request was authenticated. */
const orEnded = <A, E, R>(found: Effect.Effect<Option.Option<A>, E, R>) =>
  Effect.flatMap(
    found,
    Option.match({ onNone: () => Effect.fail(new SessionEnded()), onSome: (value) => Effect.succeed(value) })
  )

export const meLayer = HttpApiBuilder.group(
  Api,
  "me",
  Effect.fn(function* (handlers) {
    const { callers } = yield* Repo
    const { platforms, rateLimitPerMinute } = yield* ServiceFacts

    const describe = Effect.fnUntraced(function* (caller: Caller) {
      if (caller._tag === "Key") {
        const { keyId, requiresApproval, scopes, workspaceId } = caller.holder
        const found = yield* orEnded(callers.describeKey(workspaceId, keyId))
        return {
          ...found,
          workspaceId,
          workspaces: [],
          caller: {
            type: "key" as const,
            id: keyId,
            name: found.name,
            scopes,
            requires_approval: requiresApproval,
            expires_at: found.expiresAt
          }
        }
      }
      const { role, userId, workspaceId } = caller.holder
      const found = yield* orEnded(callers.describeUser({ userId, workspaceId }))
      return {
        ...found,
        workspaceId,
        caller: {
          type: "user" as const,
          id: userId,
          email: found.email,
          name: found.name,
          role,
          scopes: roleScopes(role)
        }
      }
    })

    const me = CurrentCaller.pipe(
      Effect.flatMap(describe),
      Effect.map(({ caller, heldSince, workspaceId, workspaceName, workspaces }) => ({
        workspace: { id: workspaceId, name: workspaceName },
        workspaces,
        caller,
        rate_limit: { limit: rateLimitPerMinute, window_seconds: Duration.toSeconds(rateLimitWindow) },
        publishing: { held_since: heldSince },
        platforms
      })),
      orProblem
    )

    return handlers.handle("get", () => asData(me))
  })
)
