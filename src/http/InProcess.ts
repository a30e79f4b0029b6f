import { Context } from "effect"

/**
 * True for a request that a handler makes within the process while it serves an admitted request. No connection can set
 * it.
 */
export const InProcess = Context.Reference<boolean>("social-publisher/http/InProcess", { defaultValue: () => false })
