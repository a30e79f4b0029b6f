import { Duration, Effect } from "effect"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { liveFacts } from "../platforms/facts.ts"
import type { FormerAccess } from "../repo/integrations/Integrations.ts"
import { Repo } from "../repo/Repo.ts"

/** Short, because a person is waiting. */
const timeout = Duration.seconds(5)

/**
 * Revokes access at the platform. If the platform does not confirm in time, this is logged, and the access ends when
 * its tokens expire. Some platforms revoke all access that an account gave this application. On these, access is kept
 * while any workspace has the account connected.
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
