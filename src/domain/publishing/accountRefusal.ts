import { NeedsReauthorization } from "./platformError.ts"

/** The target's account, and the account that its integration has now. */
export interface AccountOfClaim {
  readonly accountId: string
  /** Set for a later part of a thread, which must come from the same account as the parts before it. */
  readonly reply?: unknown
  readonly integration: { readonly accountId: string; readonly connected: boolean; readonly username: string }
}

export const accountRefusal = ({
  accountId,
  integration,
  reply = null
}: AccountOfClaim): NeedsReauthorization | undefined => {
  const { connected, username } = integration
  if (accountId !== integration.accountId) {
    const step =
      reply === null
        ? `Connect the post's own account again, or move the post to ${username}.`
        : "The rest of a thread goes out from the account of its first part: connect that account again."
    return new NeedsReauthorization({
      message: `This post belongs to the account with the id ${accountId}, but ${username} is connected. ${step}`
    })
  }
  return connected
    ? undefined
    : new NeedsReauthorization({ message: `The account ${username} has to be connected again` })
}
