import { Duration } from "effect"
import { LoginRequired, MemberLimit } from "../errors.ts"

/** The most members by invitation. */
export const maxMembers = 1_000
export const maxInvites = 100

export const inviteLifetime = Duration.hours(72)

export const tooManyMembers = new MemberLimit({
  message: `A workspace may have ${maxMembers} members; remove one first`
})

export const tooManyInvites = new MemberLimit({
  message: `A workspace may have ${maxInvites} pending invitations; take back those that are no longer needed`
})

export const loginRequired = (email: string) =>
  new LoginRequired({ message: `Log in as ${email}, or send a password, to accept the invitation` })
