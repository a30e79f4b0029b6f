import { Duration, Effect } from "effect"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { FormerAccess } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"

/** Short, because a person is waiting. */
const timeout = Duration.seconds(5)

/**
 * Revokes access at the platform. Logs a failure or a timeout; the access then ends when its tokens expire. If the
 * platform revokes all access that an account gave this application, keeps it while any workspace has the account
 * connected.
 */
export const revokeAccess = Effect.fn("revokeAccess")(
  function* (former: FormerAccess) {
    const { integrations } = yield* Repo
    const accountLinking = yield* AccountLinking
    const { accountId, platform } = former
    if (liveFacts[platform].link.revokes === "all" && (yield* integrations.isConnected(platform, accountId))) return
    yield* Effect.timeout(accountLinking.revoke(former), timeout)
  },
  Effect.catch((error) => Effect.logWarning("Access to an account was not ended at its platform", error))
)
