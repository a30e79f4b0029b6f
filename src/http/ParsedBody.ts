import { Context } from "effect"

/** The request's body as parsed JSON; null without a JSON body. */
export const ParsedBody = Context.Reference<unknown>("social-publisher/http/ParsedBody", { defaultValue: () => null })
