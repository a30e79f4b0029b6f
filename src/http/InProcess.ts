import { Context } from "effect"

/** True for a request by a handler of an admitted request. Only code sets it: no connection can. */
export const InProcess = Context.Reference<boolean>("social-publisher/http/InProcess", { defaultValue: () => false })
