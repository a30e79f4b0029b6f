import { Schema } from "effect"

/** The platform refused the post for what it is; sending it again can't help. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", { message: Schema.String }) {}

/** The platform takes nothing more from this account until `until`; nothing was posted. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  until: Schema.DateTimeUtc
}) {}

/** The platform could not be reached or said that it is down; nothing was posted. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { message: Schema.String }) {}

/** The stored credentials no longer open the account; a person has to connect it again. Nothing was posted. */
export class NeedsReauthorization extends Schema.TaggedError<NeedsReauthorization>()("NeedsReauthorization", {
  message: Schema.String
}) {}

/** The request may or may not have been carried out: time-out, connection lost, or a server error. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  message: Schema.String
}) {}

/** How talking to a platform can fail. */
export type PlatformError = Rejected | RateLimited | Unavailable | NeedsReauthorization | OutcomeUnknown

/** Where a published post stands on its platform. `url` is null where the platform did not tell. */
export interface Publication {
  readonly platformPostId: string | null
  readonly url: string | null
}
