import { Schema } from "effect"
import { Platform } from "./platform.ts"

/** One thing that is wrong with a request, and where: `path` is from the root of the body, query or path. */
export const Issue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])),
  message: Schema.String
}).annotate({ identifier: "Issue" })
export type Issue = typeof Issue.Type

/** The request can't be carried out as it is; lists every field that is wrong. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  message: Schema.String,
  errors: Schema.Array(Issue)
}) {}

/** No such record in the caller's workspace, whether or not another workspace has it. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  message: Schema.String
}) {}

/** The record's status does not allow the operation. */
export class InvalidState extends Schema.TaggedError<InvalidState>()("InvalidState", {
  message: Schema.String
}) {}

/** The workspace has no connected account on these platforms. */
export class IntegrationNotConnected extends Schema.TaggedError<IntegrationNotConnected>()("IntegrationNotConnected", {
  message: Schema.String,
  platforms: Schema.Array(Platform)
}) {}

/** A text that is scheduled or published is longer than its platform takes. */
export class ContentTooLong extends Schema.TaggedError<ContentTooLong>()("ContentTooLong", {
  message: Schema.String,
  violations: Schema.Array(Schema.Struct({ platform: Platform, length: Schema.Int, limit: Schema.Int }))
}) {}

/** The key requires approval, so it may neither schedule nor publish. */
export class ApprovalRequired extends Schema.TaggedError<ApprovalRequired>()("ApprovalRequired", {
  message: Schema.String
}) {}

/** The database is away or too slow; nothing is known to have been changed. */
export class DatabaseUnavailable extends Schema.TaggedError<DatabaseUnavailable>()("DatabaseUnavailable", {
  operation: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `The database did not answer: ${this.operation}`
  }
}

/** A settlement came too late: the claim it names is no longer the target's. */
export class ClaimLost extends Schema.TaggedError<ClaimLost>()("ClaimLost", {}) {}

/** There are no stored credentials, or none that the configured encryption keys open. */
export class CredentialsUnreadable extends Schema.TaggedError<CredentialsUnreadable>()("CredentialsUnreadable", {
  message: Schema.String
}) {}

/** No such user, or another password; the answer does not say which. */
export class WrongCredentials extends Schema.TaggedError<WrongCredentials>()("WrongCredentials", {}) {
  override get message(): string {
    return "The email address or the password is wrong"
  }
}

/** More passwords wait to be checked than would be checked in time. */
export class PasswordsBusy extends Schema.TaggedError<PasswordsBusy>()("PasswordsBusy", {}) {
  override get message(): string {
    return "Too many people are logging in at this moment; try again in a few seconds"
  }
}

/** A user of this email address exists already. */
export class EmailTaken extends Schema.TaggedError<EmailTaken>()("EmailTaken", { message: Schema.String }) {}

/** The same idempotency key is being used by a request that has not ended. */
export class IdempotencyInFlight extends Schema.TaggedError<IdempotencyInFlight>()("IdempotencyInFlight", {}) {
  override get message(): string {
    return "Another request with this Idempotency-Key has not ended yet; repeat this one in a moment"
  }
}

/** The idempotency key was used for another request. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {}) {
  override get message(): string {
    return "This Idempotency-Key was used for another request within the last 24 hours; use a fresh one"
  }
}
