import { Effect, Option, type Redacted } from "effect"
import type { AccountDecision } from "../domain/accounts/accountChange.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { TakenChange } from "../repo/integrations/accountChanges.ts"
import { Repo } from "../repo/Repo.ts"
import { moveToAccount, replacementTimeout } from "./replaceAccount.ts"
import { revokeAccess } from "./revokeAccess.ts"

interface Decider<E, R> {
  /** The workspace that the change has to be of; any by default. */
  readonly workspaceId?: WorkspaceId
  /** The session of the browser that sends the decision. */
  readonly session?: Option.Option<Redacted.Redacted>
  /** Fails where the decider may not decide; the change is kept then. */
  readonly check?: (change: TakenChange) => Effect.Effect<void, E, R>
}

const anybody = () => Effect.void

/**
 * Carries out a person's decision, once: returns the replacement, or null after `cancel`, which ends the new access; none
 * where the change is unknown, decided or expired, or another workspace's than the decider's. `replaces` is the id of the
 * account that the person was shown. Where it fails, the change can be decided again.
 */
export const decideAccountChange = Effect.fn("decideAccountChange")(function* <E = never, R = never>(
  token: Redacted.Redacted,
  decision: AccountDecision,
  replaces: string,
  { check = anybody, ...decider }: Decider<E, R>
) {
  const { accountChanges, transaction } = yield* Repo
  const decided = yield* transaction(
    Effect.gen(function* () {
      const taken = yield* accountChanges.take(token, decider)
      if (Option.isNone(taken)) return null
      yield* check(taken.value)
      const { account, workspaceId } = taken.value
      return decision === "cancel"
        ? { replacement: null, former: account }
        : yield* Effect.map(moveToAccount(workspaceId, account, { posts: decision, replaces }), (replacement) => ({
            replacement,
            former: replacement.former
          }))
    }),
    replacementTimeout
  )
  if (decided === null) return Option.none()
  if (decided.former !== null) yield* revokeAccess(decided.former)
  return Option.some(decided.replacement)
})
