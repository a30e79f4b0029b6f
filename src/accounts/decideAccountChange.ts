import { Effect, Option, type Redacted, Schema } from "effect"
import { WaitingPostsChoice } from "../domain/accountChange.ts"
import { Repo } from "../repo/Repo.ts"
import { moveToAccount, replacementTimeout } from "./replaceAccount.ts"
import { revokeAccess } from "./revokeAccess.ts"

/** What a person decides on another account than the connected one. */
export const AccountDecision = Schema.Literals([...WaitingPostsChoice.literals, "cancel"])
export type AccountDecision = typeof AccountDecision.Type

/**
 * Carries out a person's decision, once: returns the replacement, or null after `cancel`, which ends the new access; none
 * where the change is unknown, decided or expired. `replaces` is the id of the account that the person was shown. Where it
 * fails, the change can be decided again.
 */
export const decideAccountChange = Effect.fn("decideAccountChange")(function* (
  token: Redacted.Redacted,
  decision: AccountDecision,
  replaces: string
) {
  const { accountChanges, transaction } = yield* Repo
  const decided = yield* transaction(
    Effect.gen(function* () {
      const taken = yield* accountChanges.take(token)
      if (Option.isNone(taken)) return null
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
