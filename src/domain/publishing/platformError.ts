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

/** The stored credentials give no access; a person has to connect the account again. Nothing was published. */
export class NeedsReauthorization extends Schema.TaggedError<NeedsReauthorization>()("NeedsReauthorization", {
  message: Schema.String
}) {}

/** The platform refuses the service's application, so the operator has to act. Nothing was published. */
export class ApplicationRefused extends Schema.TaggedError<ApplicationRefused>()("ApplicationRefused", {
  message: Schema.String,
  /** `credits`: its credits are spent. `access`: it lacks access to the API. */
  reason: Schema.Literals(["credits", "access"])
}) {}

/**
 * The platform answered that it can't take the post now, but may have kept it. The post is sent again only after
 * several looks have not found it.
 */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { message: Schema.String }) {}

/** The request may have been carried out: a timeout, a lost connection or a server error. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  message: Schema.String,
  /** True if more searches would tell no more, so that a person decides immediately. */
  conclusive: Schema.optionalKey(Schema.Boolean),
  /** True if the platform shows this post with another text than the stored one. */
  otherVersion: Schema.optionalKey(Schema.Boolean),
  /** True if this attempt certainly sent nothing, so that only an earlier send's outcome is unknown. */
  unsent: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * The account has a post with the same text, which may be an earlier send of this one. This request published nothing.
 */
export class DuplicateRefused extends Schema.TaggedError<DuplicateRefused>()("DuplicateRefused", {
  message: Schema.String
}) {}

/** The platform does not show the replied-to post yet. Nothing was published. */
export class TooEarly extends Schema.TaggedError<TooEarly>()("TooEarly", { message: Schema.String }) {}

/** The post's uploads have expired, or the platform lost them. This request published nothing. */
export class UploadsGone extends Schema.TaggedError<UploadsGone>()("UploadsGone", { message: Schema.String }) {}

/**
 * The platform prepares what the post is published from, such as a container with its file. Nothing was published. Ask
 * again later with `begun`.
 */
export class Preparing extends Schema.TaggedError<Preparing>()("Preparing", {
  message: Schema.String,
  begun: Schema.Json,
  askAfter: Schema.Duration
}) {}

/** The platform took the post and is still processing it: it is out or will be. Ask again later. */
export class Accepted extends Schema.TaggedError<Accepted>()("Accepted", {
  message: Schema.String,
  askAfter: Schema.Duration
}) {}

/** The platform took the post, but certainly did not and will not publish it. */
export class Dropped extends Schema.TaggedError<Dropped>()("Dropped", { message: Schema.String }) {}

/** A person's input can't connect an account. `message` is for them, without the platform's own text. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  message: Schema.String,
  /** The field of the form to change. */
  field: Schema.String
}) {}

/** Ends an attempt without a publication. */
export const PlatformError = Schema.Union([
  Rejected,
  RateLimited,
  Unavailable,
  TooEarly,
  ApplicationRefused,
  Overloaded,
  NeedsReauthorization,
  OutcomeUnknown
])
export type PlatformError = typeof PlatformError.Type

/** A member is null if the platform did not return it. */
export interface Publication {
  readonly platformPostId: string | null
  readonly url: string | null
  /** The `cid` of a Bluesky record, which a reply names; null or absent if unknown, and on X. */
  readonly cid?: string | null
  /** True if it was found by its text, not returned by its own request: it may be another target's. */
  readonly recognized?: boolean
  /** True if the platform has to be asked for the address later. */
  readonly addressFollows?: boolean
}
