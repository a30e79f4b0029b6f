import { Context } from "effect"

/** The request's body as parsed JSON; null without one. */
export const ParsedBody = Context.Reference<unknown>("social-publisher/http/ParsedBody", { defaultValue: () => null })
