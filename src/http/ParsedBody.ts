import { Context } from "effect"

/** The JSON value that a request's body was parsed to when it was checked; null for a request without such a body. */
export const ParsedBody = Context.Reference<unknown>("social-publisher/http/ParsedBody", { defaultValue: () => null })
