import { NeedsReauthorization } from "./platformError.ts"

/** The account that a claimed target was created for, and the one that is connected under the same id. */
export interface AccountOfClaim {
  readonly accountId: string
  readonly integration: { readonly accountId: string; readonly connected: boolean; readonly username: string }
}

/** Why nothing can be sent or uploaded with the account that is connected; undefined if it can. */
export const accountRefusal = ({ accountId, integration }: AccountOfClaim): NeedsReauthorization | undefined => {
  const { connected, username } = integration
  if (accountId !== integration.accountId) {
    return new NeedsReauthorization({
      message:
        `This post belongs to the account with the id ${accountId}, but ${username} is connected. ` +
        `Connect the post's own account again, or move the post to ${username}.`
    })
  }
  return connected
    ? undefined
    : new NeedsReauthorization({ message: `The account ${username} has to be connected again` })
}
