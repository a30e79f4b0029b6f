import { Effect, Option, type Redacted } from "effect"
import type { AccountDecision } from "../domain/accounts/accountChange.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { Authority } from "../domain/people/authority.ts"
import type { TakenChange } from "../repo/integrations/accountChanges.ts"
import { Repo } from "../repo/Repo.ts"
import { moveToAccount, replacementTimeout } from "./replaceAccount.ts"
import { revokeAccess } from "./revokeAccess.ts"

interface Decider<E, R> {
  /** Any workspace by default. */
  readonly workspaceId?: WorkspaceId
  readonly session?: Option.Option<Redacted.Redacted>
  /** Returns undefined if the token alone suffices. If it fails, the change stays pending. */
  readonly authorize: (change: TakenChange) => Effect.Effect<Authority | undefined, E, R>
}

/**
 * Carries out a person's decision, once. Returns the replacement, or null after `cancel`, which revokes the new access.
 * Returns none if the change is unknown, decided, expired or in another workspace. `replaces` is the account id that
 * the person saw. A failed decision can be repeated.
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
