import { Context, Effect, type Option } from "effect"
import type { LinkCard } from "../domain/posts/linkCard.ts"

/** None if the link leads to nothing that a post can quote, or the platform does not say so in time. */
export type FindQuoted = (url: string) => Effect.Effect<Option.Option<LinkCard>>

/** Without it, links to posts have the card of their page. */
export const QuotedRecords = Context.Reference<FindQuoted>("social-publisher/cards/QuotedRecords", {
  defaultValue: () => () => Effect.succeedNone
})
