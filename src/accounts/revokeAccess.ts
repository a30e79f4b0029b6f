import { Duration, Effect } from "effect"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { FormerAccess } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"

/** A person waits meanwhile. */
const timeout = Duration.seconds(5)

/**
 * Ends access that is not needed any more at its platform. Best effort: what the platform does not confirm in time is
 * logged, and ends when its tokens expire. Some platforms may end all access that the account gave this application.
 * There, access stays as long as a workspace has the account connected.
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
