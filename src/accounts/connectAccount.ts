import { Effect, type Redacted } from "effect"
import type { WorkspaceId } from "../domain/ids.ts"
import type { NewIntegration } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"
import { revokeAccess } from "./revokeAccess.ts"

/**
 * Connects an account. Where the workspace has another one on the platform, changes nothing, and keeps the account until a
 * person has decided with the returned token: in `session`, if it is begun in one.
 */
export const connectAccount = Effect.fn("connectAccount")(function* (
  workspaceId: WorkspaceId,
  account: NewIntegration,
  session?: Redacted.Redacted
) {
  const { accountChanges, integrations } = yield* Repo
  return yield* integrations.connect(workspaceId, account).pipe(
    Effect.map((integration) => ({ _tag: "Connected" as const, integration })),
    Effect.tapErrorTag("NotFound", () => revokeAccess(account)),
    Effect.catchTag("AnotherAccountConnected", (another) =>
      Effect.map(accountChanges.keep({ workspaceId, account }, session), (token) => ({
        _tag: "Another" as const,
        another,
        token
      }))
    )
  )
})
