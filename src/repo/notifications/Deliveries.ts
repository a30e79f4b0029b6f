import { type DateTime, type Duration, type Effect, type Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { ChannelKind } from "../../domain/chat/channel.ts"
import { ChannelId, ClaimToken, NotificationDeliveryId, UserId, WorkspaceId } from "../../domain/ids.ts"
import { DeliveredNotifications } from "../../domain/mail/deliveredContent.ts"
import type { DeliveryEnd } from "../../domain/mail/mailPolicy.ts"
import { mailModes } from "../../domain/plain/mail.ts"
import { Role } from "../../domain/people/role.ts"
import { NullableJsonTime } from "../postgres/rows.ts"
import type { Receivers } from "./turns.ts"

/** A member's role and choices, as JSON. */
export const MemberChoices = {
  role: Role,
  modes: Schema.Record(Schema.String, Schema.Literals(mailModes)),
  mutedUntil: NullableJsonTime
}

const Claim = {
  id: NotificationDeliveryId,
  token: ClaimToken,
  /** Includes this one. */
  attempts: Schema.Int,
  workspaceId: WorkspaceId,
  workspaceName: Schema.String,
  ...DeliveredNotifications
}

export const MailClaim = Schema.Struct({
  ...Claim,
  userId: UserId,
  email: Schema.String,
  ...MemberChoices,
  /** The essential types that another admin gets. */
  othersGet: Schema.Array(Schema.String)
})
export type MailClaim = typeof MailClaim.Type

export const ChatClaim = Schema.Struct({
  ...Claim,
  channelId: ChannelId,
  kind: ChannelKind,
  /** Encrypted. */
  sealedUrl: Schema.Uint8Array,
  /** Those that the channel gets now. */
  types: Schema.Array(Schema.String),
  isEnabled: Schema.Boolean
})
export type ChatClaim = typeof ChatClaim.Type

type Held = Pick<MailClaim, "id" | "token">

/** The effect of an attempt on the channel. */
export interface ChannelEnd {
  /** Nothing else is sent to the channel before. */
  readonly heldUntil: DateTime.Utc
  /** True if the URL of the claim was revoked; the channel is disabled then, unless it has got another URL. */
  readonly isRevoked: boolean
}

/** A channel that a settlement has disabled. */
export const DisabledChannel = Schema.Struct({
  id: ChannelId,
  workspaceId: WorkspaceId,
  kind: ChannelKind,
  name: Schema.String
})
export type DisabledChannel = typeof DisabledChannel.Type

export const DeliveryBacklog = Schema.Struct({
  waiting: Schema.Int,
  oldest: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type DeliveryBacklog = typeof DeliveryBacklog.Type

export interface Deliveries {
  /**
   * Chooses the receivers of up to `limit` notifications, and returns the number of notifications. A notification is
   * dispatched once, even after a crash. Several processes can run this.
   */
  readonly dispatch: (limit: number) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * Claims due mail. Workspaces have turns: each gets its first message before any gets a second, however many wait.
   */
  readonly claimMail: (
    limit: number,
    lease: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<MailClaim>, DatabaseUnavailable>
  /** As for mail. In all processes, one message of a channel is in flight at a time, and about four of a workspace. */
  readonly claimChat: (
    limit: number,
    lease: Duration.Duration
  ) => Effect.Effect<ReadonlyArray<ChatClaim>, DatabaseUnavailable>
  /** Changes nothing if the claim was lost. */
  readonly settleMail: (claim: Held, end: DeliveryEnd) => Effect.Effect<void, DatabaseUnavailable>
  /** Returns the channel if this has disabled it. */
  readonly settleChat: (
    claim: Held & Pick<ChatClaim, "channelId" | "sealedUrl">,
    end: DeliveryEnd,
    channel: ChannelEnd
  ) => Effect.Effect<Option.Option<DisabledChannel>, DatabaseUnavailable>
  /** Makes the delivery due again, as if it had not been claimed. */
  readonly releaseMail: (claim: Held) => Effect.Effect<void, DatabaseUnavailable>
  readonly releaseChat: (claim: Held & Pick<ChatClaim, "channelId">) => Effect.Effect<void, DatabaseUnavailable>
  readonly backlog: (receivers: Receivers) => Effect.Effect<DeliveryBacklog, DatabaseUnavailable>
  /** In all workspaces. Returns the number deleted. */
  readonly removeBefore: (time: DateTime.Utc, limit: number) => Effect.Effect<number, DatabaseUnavailable>
}
