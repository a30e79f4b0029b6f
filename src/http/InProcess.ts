import { Context } from "effect"

/**
 * True for a request that a handler makes within the process while it serves a counted request. Requests from the
 * network can't set it.
 */
export const InProcess = Context.Reference<boolean>("social-publisher/http/InProcess", { defaultValue: () => false })
