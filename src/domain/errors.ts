import { Schema } from "effect"
import { Issue } from "./issue.ts"
import { Platform } from "./platform.ts"

export { Issue, WordedIssue } from "./issue.ts"
export * from "./shownErrors.ts"

/* The API hides these errors or some of their members, or shows them as a problem of another name: see
`http/problems.ts`. */

/** Used only if texts that are too long are the post's only problem. */
export class ContentTooLong extends Schema.TaggedError<ContentTooLong>()("ContentTooLong", {
  message: Schema.String,
  violations: Schema.Array(
    Schema.Struct({
      platform: Platform,
      length: Schema.Int.annotateKey({ description: "The text's length, in the platform's own unit." }),
      limit: Schema.Int.annotateKey({ description: "The platform's limit, in the same unit." }),
      unit: Schema.optionalKey(Schema.String).annotateKey({ description: "The unit, such as `graphemes` or `bytes`." }),
      part: Schema.optionalKey(Schema.Int).annotateKey({
        description: "Of a thread: the number of the part among those that the platform gets, from 1."
      })
    })
  ).annotateKey({ description: "Every text that is too long." }),
  errors: Schema.Array(Issue)
}) {}

/** If the operation was a change, it may or may not be stored. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  operation: Schema.String,
  cause: Schema.Defect(),
  /** For callers, if the database answers, but can't do this now. */
  explanation: Schema.optionalKey(Schema.String),
  /** True for a change that is made once, however often its request is repeated. */
  isRepeatable: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.explanation ?? "The database did not answer"}: ${this.operation}`
  }
}

/** Other lists had all turns, or all memory for large lists, for some seconds. */
export class ListsBusy extends Schema.TaggedError<ListsBusy>()("ListsBusy", {}) {
  override get message(): string {
    return "Too many lists are being read; try again in a few seconds"
  }
}

/** The bytes were removed, or the store was lost. */
export class MediaMissing extends Schema.TaggedError<MediaMissing>()("MediaMissing", { hash: Schema.String }) {
  override get message(): string {
    return `The media store has no bytes with the hash ${this.hash}`
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

export class TooSlow extends Schema.TaggedError<TooSlow>()("TooSlow", { message: Schema.String }) {}

export class MediaTooLarge extends Schema.TaggedError<MediaTooLarge>()("MediaTooLarge", { message: Schema.String }) {}

/** The claim of a file's processing step was lost, or the file was removed since. */
export class MediaClaimLost extends Schema.TaggedError<MediaClaimLost>()("MediaClaimLost", {}) {}

/** A write was refused because its fencing token is outdated: the target has another claim or none. */
export class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", {}) {}

/** A write to a claimed target failed instead of waiting: another transaction locks the row, or the claim was lost. */
export class ClaimUncertain extends Schema.TaggedError<ClaimUncertain>()("ClaimUncertain", {}) {}

/** Credentials are missing, or none of the configured encryption keys decrypts them. */
export class CredentialsUnreadable extends Schema.TaggedError<CredentialsUnreadable>()("CredentialsUnreadable", {
  message: Schema.String
}) {}

/** The message does not say if the address or the password is wrong, so it does not reveal which accounts exist. */
export class WrongCredentials extends Schema.TaggedError<WrongCredentials>()("WrongCredentials", {}) {
  override get message(): string {
    return "The email address or the password is wrong"
  }
}

export class NotMember extends Schema.TaggedError<NotMember>()("NotMember", {}) {
  override get message(): string {
    return "This user is not a member of the workspace"
  }
}

export class ScopeRequired extends Schema.TaggedError<ScopeRequired>()("ScopeRequired", { scope: Schema.String }) {
  override get message(): string {
    return `Approval was requested for this draft: scheduling it approves it, for which the key needs the scope ${this.scope}`
  }
}

export class RoleLost extends Schema.TaggedError<RoleLost>()("RoleLost", { roles: Schema.Array(Schema.String) }) {
  override get message(): string {
    const roles = new Intl.ListFormat("en", { type: "disjunction" }).format(this.roles)
    return `Your role was changed; this needs the role ${roles}`
  }
}

export class KeyEnded extends Schema.TaggedError<KeyEnded>()("KeyEnded", {}) {
  override get message(): string {
    return "This API key has expired or was revoked"
  }
}

export class SessionEnded extends Schema.TaggedError<SessionEnded>()("SessionEnded", {}) {
  override get message(): string {
    return "The session has ended; log in again"
  }
}

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
