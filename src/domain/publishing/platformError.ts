import { Schema } from "effect"

/** The platform refused this post. Sending it again can't help. */
export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", { message: Schema.String }) {}

/** The account can post again at `until`. Nothing was published. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  until: Schema.DateTimeUtc
}) {}

/** The platform could not be reached or is down. Nothing was published. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", { message: Schema.String }) {}

/** A person has to connect the account again. Nothing was published. */
export class NeedsReauthorization extends Schema.TaggedError<NeedsReauthorization>()("NeedsReauthorization", {
  message: Schema.String
}) {}

/** The platform refuses the application, so the operator has to act. Nothing was published. */
export class ApplicationRefused extends Schema.TaggedError<ApplicationRefused>()("ApplicationRefused", {
  message: Schema.String,
  reason: Schema.Literals(["credits", "access"])
}) {}

/**
 * The platform answered that it can't accept the post, but may have kept it. The post is sent again only after several
 * looks.
 */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { message: Schema.String }) {}

/** The request may have been carried out: a timeout, a lost connection or a server error. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  message: Schema.String,
  /** True if more searches can't help, so that a person decides immediately. */
  conclusive: Schema.optionalKey(Schema.Boolean),
  /** True if the platform shows the post with another text. */
  otherVersion: Schema.optionalKey(Schema.Boolean),
  /** True if only an earlier send's outcome is unknown. */
  unsent: Schema.optionalKey(Schema.Boolean),
  /** Set if only time can tell: the platform is asked again after this, as often as the adapter says so. */
  askAfter: Schema.optionalKey(Schema.Duration)
}) {}

/** The account already has a post with this text, perhaps from an earlier send. This request published nothing. */
export class DuplicateRefused extends Schema.TaggedError<DuplicateRefused>()("DuplicateRefused", {
  message: Schema.String
}) {}

/** The platform does not show the replied-to post yet. Nothing was published. */
export class TooEarly extends Schema.TaggedError<TooEarly>()("TooEarly", { message: Schema.String }) {}

/** The post's uploads have expired or were lost. This request published nothing. */
export class UploadsGone extends Schema.TaggedError<UploadsGone>()("UploadsGone", {
  message: Schema.String,
  /** True if no earlier send of the same preparation is out, or can be any more. */
  isAbsent: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * The platform is preparing an object to publish the post from, such as a container. Nothing was published. Ask again
 * with `begun`.
 */
export class Preparing extends Schema.TaggedError<Preparing>()("Preparing", {
  message: Schema.String,
  begun: Schema.Json,
  askAfter: Schema.Duration
}) {}

/** The platform accepted the post and is still processing it. Ask again later. */
export class Accepted extends Schema.TaggedError<Accepted>()("Accepted", {
  message: Schema.String,
  askAfter: Schema.Duration
}) {}

/** The platform accepted the post, but certainly will not publish it. */
export class Dropped extends Schema.TaggedError<Dropped>()("Dropped", { message: Schema.String }) {}

/** The platform refused to link the account. `message` does not repeat the platform's own text. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  message: Schema.String,
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

/** Members are null if the platform did not return them. */
export interface Publication {
  readonly platformPostId: string | null
  readonly url: string | null
  /** A Bluesky record's `cid`, which a reply names. */
  readonly cid?: string | null
  /** True if a search found the post by its text, so it might be another target's. */
  readonly recognized?: boolean
  /** True if the platform reports the URL later. */
  readonly addressFollows?: boolean
}
