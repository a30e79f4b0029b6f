import { Schema } from "effect"

/** The platform refused this post. Sending it again can't help. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", { message: Schema.String }) {}

/** The platform accepts no more from this account until `until`. Nothing was published. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  until: Schema.DateTimeUtc
}) {}

/** The platform could not be reached or reported that it is down. Nothing was published. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { message: Schema.String }) {}

/** The stored credentials no longer give access; a person has to connect the account again. Nothing was published. */
export class NeedsReauthorization extends Schema.TaggedError<NeedsReauthorization>()("NeedsReauthorization", {
  message: Schema.String
}) {}

/** The request may or may not have been carried out: a timeout, a lost connection or a server error. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  message: Schema.String
}) {}

/** All that can go wrong on a platform. */
export type PlatformError = Rejected | RateLimited | Unavailable | NeedsReauthorization | OutcomeUnknown

/** A published post on its platform. A member is null if the platform did not return it. */
export interface Publication {
  readonly platformPostId: string | null
  readonly url: string | null
}
