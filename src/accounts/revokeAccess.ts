import { Duration, Effect } from "effect"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import type { FormerAccess } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"

/** A person waits meanwhile. */
const timeout = Duration.seconds(5)

/**
 * Ends access that is not needed any more at its platform. Best effort: what the platform does not confirm in time is
 * logged, and ends when its tokens expire. Access to an X account that is connected stays, in whichever workspace: X may end
 * all access that the account gave this application. A Bluesky session is independent of others.
 */
export const revokeAccess = Effect.fn("revokeAccess")(
  function* (former: FormerAccess) {
    const { integrations } = yield* Repo
    const accountLinking = yield* AccountLinking
    if (former.platform === "twitter" && (yield* integrations.isConnected("twitter", former.accountId))) return
    yield* Effect.timeout(accountLinking.revoke(former), timeout)
  },
  Effect.catch((error) => Effect.logWarning("Access to an account was not ended at its platform", error))
)
