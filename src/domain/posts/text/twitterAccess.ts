import { Context } from "effect"

/** What X's terms make of the service's application: `self-serve` may post one cashtag a post. */
export type TwitterAccess = "self-serve" | "enterprise"

/** The operator's setting `TWITTER_ACCESS`. */
export const TwitterAccess = Context.Reference<TwitterAccess>("social-publisher/domain/TwitterAccess", {
  defaultValue: () => "self-serve"
})
