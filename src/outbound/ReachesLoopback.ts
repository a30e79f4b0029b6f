import { Context } from "effect"

/** True if requests to URLs that others chose may reach this machine. */
export const ReachesLoopback = Context.Reference("social-publisher/outbound/ReachesLoopback", {
  defaultValue: () => false
})
