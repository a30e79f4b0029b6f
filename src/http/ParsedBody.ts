import { Context } from "effect"

/** Null without a JSON body. */
export const ParsedBody = Context.Reference<unknown>("social-publisher/http/ParsedBody", { defaultValue: () => null })
