import { Context } from "effect"

/**
 * Whether a request was made within the process, by a handler of another request that was let in. Only code can set it: nothing
 * that arrives by a connection leads to it.
 */
export const InProcess = Context.Reference<boolean>("social-publisher/http/InProcess", { defaultValue: () => false })
