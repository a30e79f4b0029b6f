import { Context } from "effect"

/**
 * True for a request that a handler makes within the process, for an admitted request. Only code sets it: no connection
 * can.
 */
export const InProcess = Context.Reference<boolean>("social-publisher/http/InProcess", { defaultValue: () => false })
