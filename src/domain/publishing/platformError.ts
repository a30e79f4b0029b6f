import { Schema } from "effect"
import type { Json } from "effect/Schema"

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

/**
 * The platform refuses the service's application, and not this post or its account, so the operator has to act. Nothing was
 * published.
 */
export class ApplicationRefused extends Schema.TaggedError<ApplicationRefused>()("ApplicationRefused", {
  message: Schema.String,
  /** `credits`: its credits are spent. `access`: it lacks access to the API. */
  reason: Schema.Literals(["credits", "access"])
}) {}

/**
 * The platform answered that it can't take the post at the moment. It may have kept the post nevertheless, so the post
 * is sent again only after several looks have not found it.
 */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", { message: Schema.String }) {}

/** The request may or may not have been carried out: a timeout, a lost connection or a server error. */
export class OutcomeUnknown extends Schema.TaggedError<OutcomeUnknown>()("OutcomeUnknown", {
  message: Schema.String,
  /** Whether searching again would tell no more, so that the outcome is left to a person at once. */
  conclusive: Schema.optionalKey(Schema.Boolean),
  /** Whether the platform shows this post with another text than the stored one. */
  otherVersion: Schema.optionalKey(Schema.Boolean),
  /** Whether this attempt certainly sent nothing, so that only an earlier send's outcome is unknown. */
  unsent: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * The platform refused the post because the account has one with the same text, which may be an earlier send of the post.
 * Nothing was published by this request.
 */
export class DuplicateRefused extends Schema.TaggedError<DuplicateRefused>()("DuplicateRefused", {
  message: Schema.String
}) {}

/** The platform does not show the post yet that this one replies to. Nothing was published. */
export class TooEarly extends Schema.TaggedError<TooEarly>()("TooEarly", { message: Schema.String }) {}

/** What was uploaded for the post has run out, or the platform has lost it. Nothing was published by this request. */
export class UploadsGone extends Schema.TaggedError<UploadsGone>()("UploadsGone", { message: Schema.String }) {}

/**
 * The platform is making ready what the post is published from, such as a container with its file. Nothing was published, and nobody
 * sees anything. It is asked again after a time, with what has `begun`.
 */
export class Preparing extends Schema.TaggedError<Preparing>()("Preparing", {
  message: Schema.String,
  begun: Schema.Json,
  askAfter: Schema.Duration
}) {}

/** The platform took the post and is still processing it, so that it is out or comes out by itself. It is asked again after a time. */
export class Accepted extends Schema.TaggedError<Accepted>()("Accepted", {
  message: Schema.String,
  askAfter: Schema.Duration
}) {}

/** The platform had taken the post, and certainly did not publish it and will not. */
export class Dropped extends Schema.TaggedError<Dropped>()("Dropped", { message: Schema.String }) {}

/** An account can't be connected with what a person entered. `message` is for them, without the platform's own text. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {
  message: Schema.String,
  /** The field of the form to change. */
  field: Schema.String
}) {}

/** What ends an attempt without a publication. */
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

/** A published post on its platform. A member is null if the platform did not return it. */
export interface Publication {
  readonly platformPostId: string | null
  readonly url: string | null
  /** The content id of its record on Bluesky, which a reply names; null or absent where it is not known, and on X. */
  readonly cid?: string | null
  /** Whether it was recognized by its text, and not returned by the request that created it: it may be another target's. */
  readonly recognized?: boolean
  /** True if the platform tells the address later, so that it is asked for it. */
  readonly addressFollows?: boolean
  /** The prepared post that a search found it by. Absent if it is what is stored of the send. */
  readonly foundBy?: Json
}
