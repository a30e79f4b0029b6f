import { Duration } from "effect"

/** A workspace with this many members can't invite more people. */
export const maxMembers = 1_000
export const maxInvites = 100

export const inviteLifetime = Duration.hours(72)
