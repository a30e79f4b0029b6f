import { Schema, SchemaTransformation, Tuple } from "effect"
import { IssueCode, IssueFacts, IssueMeaning } from "./issueCodes.ts"
import { Platform } from "./platform.ts"

const description = "One invalid value in a request."
const example = { path: ["content"], message: "Expected a text that is not blank" }

/** An issue without its code, for readers of sentences, such as agents. */
export const WordedIssue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])).annotateKey({
    description: "The location: member names and list indexes from the root of the body, or a parameter's name."
  }),
  message: Schema.String.annotateKey({ description: "What was expected there." })
}).annotate({ identifier: "Issue", description, examples: [example] })
export type WordedIssue = typeof WordedIssue.Type

const place = WordedIssue.fields

/** One object for all codes, so that clients need not choose between shapes. */
const IssueJson = Schema.Struct({
  ...place,
  code: Schema.optionalKey(IssueCode),
  facts: Schema.optionalKey(IssueFacts)
}).annotate({
  identifier: "Issue",
  description,
  examples: [{ ...example, code: "text_blank" }]
})

/** One invalid value in a request. A code comes with exactly its facts. */
export const Issue = IssueJson.pipe(
  Schema.decodeTo(
    Schema.Union([
      ...IssueMeaning.mapMembers(Tuple.map(Schema.fieldsAssign(place))).members,
      Schema.Struct({ ...place, code: Schema.optionalKey(Schema.Never), facts: Schema.optionalKey(Schema.Never) })
    ]),
    SchemaTransformation.passthroughSupertype()
  )
)
export type Issue = typeof Issue.Type

export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  message: Schema.String,
  errors: Schema.Array(Issue)
}) {}

/** Another workspace may have the record. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String
}) {}

export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  message: Schema.String
}) {}

/** A member of the stored post can't be read by this version, so nothing that needs it is done. */
export class PostUnreadable extends Schema.TaggedError<PostUnreadable>()("PostUnreadable", {}) {
  override get message(): string {
    return "A part of this post can't be read by this version of the service, so nothing was changed; ask the operator, or delete the post and create it again"
  }
}

export class WebhookLimit extends Schema.TaggedError<WebhookLimit>()("WebhookLimit", {
  message: Schema.String
}) {}

export class KeyLimit extends Schema.TaggedError<KeyLimit>()("KeyLimit", { message: Schema.String }) {}

export class MemberLimit extends Schema.TaggedError<MemberLimit>()("MemberLimit", { message: Schema.String }) {}

export class LoginRequired extends Schema.TaggedError<LoginRequired>()("LoginRequired", { message: Schema.String }) {}

export class IntegrationNotConnected extends Schema.TaggedError<IntegrationNotConnected>()("IntegrationNotConnected", {
  message: Schema.String,
  platforms: Schema.Array(Platform)
}) {}

/** On these platforms a send has an unknown outcome, so parts of the post may be published. */
export class OutcomeOpen extends Schema.TaggedError<OutcomeOpen>()("OutcomeOpen", {
  message: Schema.String,
  platforms: Schema.Array(Platform)
}) {}

/** Nothing else is wrong with the post to schedule or publish. */
export class ContentTooLong extends Schema.TaggedError<ContentTooLong>()("ContentTooLong", {
  message: Schema.String,
  violations: Schema.Array(
    Schema.Struct({
      platform: Platform,
      length: Schema.Int,
      limit: Schema.Int,
      /** The part's number on this platform, from 1; absent without a thread. */
      part: Schema.optionalKey(Schema.Int)
    })
  ),
  errors: Schema.Array(Issue)
}) {}

/** Nothing else is wrong with the post to schedule or publish. */
export class MediaNotReady extends Schema.TaggedError<MediaNotReady>()("MediaNotReady", {
  message: Schema.String,
  errors: Schema.Array(Issue)
}) {}

export class ApprovalRequired extends Schema.TaggedError<ApprovalRequired>()("ApprovalRequired", {
  message: Schema.String
}) {}

/** The key requires approval, so it may change and delete only drafts that it created. */
export class NotOwnDraft extends Schema.TaggedError<NotOwnDraft>()("NotOwnDraft", { message: Schema.String }) {}

export class RevisionMismatch extends Schema.TaggedError<RevisionMismatch>()("RevisionMismatch", {
  message: Schema.String
}) {}

export class RevisionConflict extends Schema.TaggedError<RevisionConflict>()("RevisionConflict", {
  message: Schema.String
}) {}

/** The post to approve has no time, or a past time. */
export class TimeRequired extends Schema.TaggedError<TimeRequired>()("TimeRequired", { message: Schema.String }) {}

export class PreconditionRequired extends Schema.TaggedError<PreconditionRequired>()("PreconditionRequired", {
  message: Schema.String
}) {}

/** The change may or may not be stored. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The database did not answer: ${this.operation}`
  }
}

/** The bytes were removed, or the store was lost. */
export class MediaMissing extends Schema.TaggedError<MediaMissing>()("MediaMissing", { hash: Schema.String }) {
  override get message(): string {
    return `The store of media has no bytes with the hash ${this.hash}`
  }
}

/** The store is unreachable, too slow, or not the store that the database knows. */
export class MediaUnavailable extends Schema.TaggedError<MediaUnavailable>()("MediaUnavailable", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The store of media did not answer: ${this.operation}`
  }
}

export class MediaStoreFull extends Schema.TaggedError<MediaStoreFull>()("MediaStoreFull", {}) {
  override get message(): string {
    return "The disk that holds media is nearly full; nothing can be uploaded until the operator frees space"
  }
}

export class MediaQuotaExceeded extends Schema.TaggedError<MediaQuotaExceeded>()("MediaQuotaExceeded", {
  message: Schema.String
}) {}

export class TooManyUploads extends Schema.TaggedError<TooManyUploads>()("TooManyUploads", {
  message: Schema.String
}) {}

/** The bytes are of an unsupported type, or of more than one type. */
export class MediaUnsupported extends Schema.TaggedError<MediaUnsupported>()("MediaUnsupported", {
  message: Schema.String
}) {}

export class TooSlow extends Schema.TaggedError<TooSlow>()("TooSlow", { message: Schema.String }) {}

export class MediaTooLarge extends Schema.TaggedError<MediaTooLarge>()("MediaTooLarge", { message: Schema.String }) {}

/** The claim of a file's step was lost, or the file was removed in between. */
export class MediaClaimLost extends Schema.TaggedError<MediaClaimLost>()("MediaClaimLost", {}) {}

/** A write was refused because its fencing token is outdated: the target has another claim or none. */
export class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", {}) {}

/** A write to a claimed target did not wait: another transaction has locked the target, or the claim was lost. */
export class ClaimUncertain extends Schema.TaggedError<ClaimUncertain>()("ClaimUncertain", {}) {}

/** Credentials are missing, or none of the configured encryption keys decrypts them. */
export class CredentialsUnreadable extends Schema.TaggedError<CredentialsUnreadable>()("CredentialsUnreadable", {
  message: Schema.String
}) {}

/** The response does not say which is wrong, so it reveals no accounts. */
export class WrongCredentials extends Schema.TaggedError<WrongCredentials>()("WrongCredentials", {}) {
  override get message(): string {
    return "The email address or the password is wrong"
  }
}

/** The user never was a member of the workspace, or was just removed. */
export class NotMember extends Schema.TaggedError<NotMember>()("NotMember", {}) {
  override get message(): string {
    return "This user is not a member of the workspace"
  }
}

/** The key lacks a scope that its operation needs in the post's current state. */
export class ScopeRequired extends Schema.TaggedError<ScopeRequired>()("ScopeRequired", { scope: Schema.String }) {
  override get message(): string {
    return `Approval was requested for this draft: scheduling it approves it, for which the key needs the scope ${this.scope}`
  }
}

/** The key requires approval, and somebody else uploaded the file. */
export class NotOwnMedia extends Schema.TaggedError<NotOwnMedia>()("NotOwnMedia", {}) {
  override get message(): string {
    return "This key requires approval: it may change and delete only files that it uploaded"
  }
}

/** The member's role has just changed to one that does not suffice. */
export class RoleLost extends Schema.TaggedError<RoleLost>()("RoleLost", { roles: Schema.Array(Schema.String) }) {
  override get message(): string {
    const roles = new Intl.ListFormat("en", { type: "disjunction" }).format(this.roles)
    return `Your role was changed; this needs the role ${roles}`
  }
}

/** The API key has expired or was revoked, perhaps by a concurrent request. */
export class KeyEnded extends Schema.TaggedError<KeyEnded>()("KeyEnded", {}) {
  override get message(): string {
    return "This API key has expired or was revoked"
  }
}

/** The session has expired or was ended, perhaps by a concurrent request. */
export class SessionEnded extends Schema.TaggedError<SessionEnded>()("SessionEnded", {}) {
  override get message(): string {
    return "The session has ended; log in again"
  }
}

/** One caller has failed too often; the next attempt is possible after `wait`. */
export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {
  message: Schema.String,
  wait: Schema.Duration
}) {}

/** The queue of passwords to check is too long to finish in time. */
export class PasswordsBusy extends Schema.TaggedError<PasswordsBusy>()("PasswordsBusy", {}) {
  override get message(): string {
    return "Too many people are logging in at this moment; try again in a few seconds"
  }
}

export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", { message: Schema.String }) {}

export class IdempotencyInFlight extends Schema.TaggedError<IdempotencyInFlight>()("IdempotencyInFlight", {}) {
  override get message(): string {
    return "Another request with this Idempotency-Key has not ended yet; repeat this one in a moment"
  }
}

export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {}) {
  override get message(): string {
    return "This Idempotency-Key was used for another request within the last 24 hours; use a fresh one"
  }
}
