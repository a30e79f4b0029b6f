import { type DateTime, type Duration, type Effect, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { ClaimToken, NotificationDeliveryId, UserId, WorkspaceId } from "../../domain/ids.ts"
import type { DeliveryEnd } from "../../domain/mail/mailPolicy.ts"
import { mailModes } from "../../domain/plain/mail.ts"
import { Role } from "../../domain/people/role.ts"
import { NullableJsonTime } from "../postgres/rows.ts"

/** A member's role and choices, as JSON. */
export const MemberChoices = {
  role: Role,
  modes: Schema.Record(Schema.String, Schema.Literals(mailModes)),
  mutedUntil: NullableJsonTime
}

export const MailedNotification = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  message: Schema.String,
  actionUrl: Schema.NullOr(Schema.String),
  /** More than one if the notification counts several posts. */
  count: Schema.Int
})
export type MailedNotification = typeof MailedNotification.Type

export const MailClaim = Schema.Struct({
  id: NotificationDeliveryId,
  token: ClaimToken,
  /** Includes this one. */
  attempts: Schema.Int,
  workspaceId: WorkspaceId,
  workspaceName: Schema.String,
  userId: UserId,
  email: Schema.String,
  type: Schema.String,
  /** All notifications, of which the first are listed. */
  count: Schema.Int,
  /** The oldest first, without those whose matter is settled. */
  notifications: Schema.Array(MailedNotification),
  /** Listed notifications that were deleted, or whose matter is settled. */
  missing: Schema.Int,
  ...MemberChoices
})
export type MailClaim = typeof MailClaim.Type

export const MailBacklog = Schema.Struct({
  waiting: Schema.Int,
  oldest: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type MailBacklog = typeof MailBacklog.Type

export interface Deliveries {
  /**
   * Chooses the receivers of up to `limit` notifications, and returns the number of notifications. A notification is
   * dispatched once, even after a crash. Several processes can run this.
   */
  readonly dispatch: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  readonly claim: (
    limit: number,
    lease: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<MailClaim>, DatabaseUnavailable>
  /** Changes nothing if the claim was lost. */
  readonly settle: (
    claim: Pick<MailClaim, "id" | "token">,
    end: DeliveryEnd
  ) => Effect.Effect<void, DatabaseUnavailable>
  /** Makes the delivery due again, as if it had not been claimed. */
  readonly release: (claim: Pick<MailClaim, "id" | "token">) => Effect.Effect<void, DatabaseUnavailable>
  readonly backlog: Effect.Effect<MailBacklog, DatabaseUnavailable>
  /** In all workspaces. Returns the number deleted. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}
