import { Effect, type Redacted } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import type { Authority } from "../domain/people/authority.ts"
import type { NewIntegration } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

/** Who connects an account. */
interface Connecting {
  /** By whose right; absent where an operator has begun it. */
  readonly by?: Authority
  /** The session that it is begun in, if any. */
  readonly session?: Redacted.Redacted
}

/**
 * Connects an account. Where the workspace has another one on the platform, changes nothing, and keeps the account until a
 * person has decided with the returned token: in `session`, if it is begun in one. Access that nobody may give the workspace
 * any more is ended.
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
