import { Duration } from "effect"
import { LoginRequired, MemberLimit } from "../errors.ts"

/** The most members by invitation. */
export const maxMembers = 1_000
export const maxInvites = 100

export const inviteLifetime = Duration.hours(72)

export const tooManyMembers = new MemberLimit({ message: `A workspace may have ${maxMembers} members` })

export const tooManyInvites = new MemberLimit({
  message: `A workspace may have ${maxInvites} invitations that wait; take back those that are not needed any more`
})

export const loginRequired = (email: string) =>
  new LoginRequired({ message: `Log in as ${email}, or send a password, to accept the invitation` })
