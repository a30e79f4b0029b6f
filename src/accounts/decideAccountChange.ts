import { Effect, Option, type Redacted } from "effect"
import type { AccountDecision } from "../domain/accounts/accountChange.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { Authority } from "../domain/people/authority.ts"
import type { TakenChange } from "../repo/integrations/accountChanges.ts"
import { Repo } from "../repo/Repo.ts"
import { moveToAccount, replacementTimeout } from "./replaceAccount.ts"
import { revokeAccess } from "./revokeAccess.ts"

interface Decider<E, R> {
  /** The workspace that the change has to be of; any by default. */
  readonly workspaceId?: WorkspaceId
  /** The session of the browser that sends the decision. */
  readonly session?: Option.Option<Redacted.Redacted>
  /**
   * By whose right the change is decided: undefined where whoever has the token may. Fails where the decider may not; the
   * change is kept then.
   */
  readonly authorize: (change: TakenChange) => Effect.Effect<Authority | undefined, E, R>
}

/**
 * Carries out a person's decision, once: returns the replacement, or null after `cancel`, which ends the new access; none
 * where the change is unknown, decided or expired, or another workspace's than the decider's. `replaces` is the id of the
 * account that the person was shown. Where it fails, the change can be decided again.
 */
export const decideAccountChange = Effect.fn("decideAccountChange")(function* <E, R>(
  token: Redacted.Redacted,
  decision: AccountDecision,
  replaces: string,
  { authorize, ...decider }: Decider<E, R>
) {
  const { accountChanges, transaction, whileAuthorized } = yield* Repo
  const carryOut = Effect.fnUntraced(function* ({ account, workspaceId }: TakenChange) {
    if (decision === "cancel") return { replacement: null, former: account }
    const replacement = yield* moveToAccount(workspaceId, account, { posts: decision, replaces })
    return { replacement, former: replacement.former }
  })
  const decided = yield* transaction(
    Effect.gen(function* () {
      const taken = yield* accountChanges.take(token, decider)
      if (Option.isNone(taken)) return null
      const by = yield* authorize(taken.value)
      const change = carryOut(taken.value)
      return yield* by === undefined ? change : whileAuthorized(by, change, replacementTimeout)
    }),
    replacementTimeout
  )
  if (decided === null) return Option.none()
  if (decided.former !== null) yield* revokeAccess(decided.former)
  return Option.some(decided.replacement)
})
