import { Duration } from "effect"

/** The most members by invitation. */
export const maxMembers = 1_000
export const maxInvites = 100

export const inviteLifetime = Duration.hours(72)
