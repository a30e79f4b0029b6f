import { Effect, type Redacted } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import type { Authority } from "../domain/people/authority.ts"
import type { NewIntegration } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

interface Connecting {
  /** Absent for an operator. */
  readonly by?: Authority
  /** The session in which the connection began, if any. */
  readonly session?: Redacted.Redacted
}

/**
 * Connects an account. If the workspace has another account on the platform, changes nothing: a person decides with the
 * returned token, in the same `session` if there is one. If the authority may no longer connect accounts, revokes the
 * new access.
 */
export const connectAccount = Effect.fn("connectAccount")(function* (
  workspaceId: WorkspaceId,
  account: NewIntegration,
  { by, session }: Connecting
) {
  const { accountChanges, integrations, whileAuthorized } = yield* Repo
  const byKey = by?.author.type === "key" ? by.author.id : undefined
  const connected = integrations.connect(workspaceId, account).pipe(
    Effect.map((integration) => ({ _tag: "Connected" as const, integration })),
    Effect.catchTag("AnotherAccountConnected", (another) =>
      Effect.map(accountChanges.keep({ workspaceId, account }, { session, byKey }), (token) => ({
        _tag: "Another" as const,
        another,
        token
      }))
    )
  )
  return yield* (by === undefined ? connected : whileAuthorized(by, connected)).pipe(
    Effect.tapErrorTag(["NotFound", "NotMember", "RoleLost", "KeyEnded", "SessionEnded"], () => revokeAccess(account))
  )
})
