import { Duration } from "effect"

/** Invitations stop at this number of members. */
export const maxMembers = 1_000
export const maxInvites = 100

export const inviteLifetime = Duration.hours(72)
