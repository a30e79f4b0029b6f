import { Context } from "effect"

/** See `OutboundPolicy`. */
export const ReachesLoopback = Context.Reference("social-publisher/outbound/ReachesLoopback", {
  defaultValue: () => false
})
