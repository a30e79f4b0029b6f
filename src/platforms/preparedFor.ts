import { Effect } from "effect"
import { Rejected, Unavailable } from "../domain/platformError.ts"
import type { Account } from "./PlatformClient.ts"

/**
 * Refuses to send from one account what was made ready for another: should the outcome be unknown, the wrong account
 * would be looked at, and a copy could come to stand on both.
 */
export const sentFrom = (account: Account, preparedFor: string): Effect.Effect<void, Rejected> =>
  account.accountId === preparedFor
    ? Effect.void
    : new Rejected({
        message: `This post was made ready for another account. Publish it again to send it from ${account.username}.`
      })

/** Waits for the account that may have the post: another can't tell, and a copy there is nobody's order. */
export const lookedForOn = (account: Account, preparedFor: string): Effect.Effect<void, Unavailable> =>
  account.accountId === preparedFor
    ? Effect.void
    : new Unavailable({ message: `The post was sent from another account than ${account.username}` })
