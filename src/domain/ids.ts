import { Context, type DateTime, Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"

// In the API reference, an id has the format `uuid` but no pattern.
const uuid = Schema.String.check(
  Schema.isUUID(undefined, { expected: "a UUID", toJsonSchema: () => ({ format: "uuid" }) })
)

/** The tenant that every other record belongs to. */
export const WorkspaceId = uuid.pipe(Schema.brand("WorkspaceId"))
export type WorkspaceId = typeof WorkspaceId.Type

export const PostId = uuid.pipe(Schema.brand("PostId"))
export type PostId = typeof PostId.Type

export const TargetId = uuid.pipe(Schema.brand("TargetId"))
export type TargetId = typeof TargetId.Type

/** Groups the posts of a thread or campaign; chosen by the caller. */
export const GroupId = uuid.pipe(Schema.brand("GroupId"))
export type GroupId = typeof GroupId.Type

export const MediaId = uuid.pipe(Schema.brand("MediaId"))
export type MediaId = typeof MediaId.Type

/** Identifies the media store that belongs to a database. */
export const MediaStoreId = uuid.pipe(Schema.brand("MediaStoreId"))
export type MediaStoreId = typeof MediaStoreId.Type

export const IntegrationId = uuid.pipe(Schema.brand("IntegrationId"))
export type IntegrationId = typeof IntegrationId.Type

export const NotificationId = uuid.pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type

/** An incoming webhook of a chat program that gets notifications. */
export const ChannelId = uuid.pipe(Schema.brand("ChannelId"))
export type ChannelId = typeof ChannelId.Type

/** A message to one person or channel about notifications. */
export const NotificationDeliveryId = uuid.pipe(Schema.brand("NotificationDeliveryId"))
export type NotificationDeliveryId = typeof NotificationDeliveryId.Type

/** Also the `webhook-id` of the event's deliveries. */
export const EventId = uuid.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

export const WebhookId = uuid.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

export const ApiKeyId = uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const InviteId = uuid.pipe(Schema.brand("InviteId"))
export type InviteId = typeof InviteId.Type

export const UserId = uuid.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** Names a session publicly, because the session's token is secret. */
export const SessionId = uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** The id of an API key or of a user. */
export const CreatorId = uuid.pipe(Schema.brand("CreatorId"))
export type CreatorId = typeof CreatorId.Type

/** The fencing token of a claim: a settlement with an outdated token is refused. */
export const ClaimToken = uuid.pipe(Schema.brand("ClaimToken"))
export type ClaimToken = typeof ClaimToken.Type

/** Identifies one lease of a process. After its lease expires, a process gets another id. */
export const ProcessId = uuid.pipe(Schema.brand("ProcessId"))
export type ProcessId = typeof ProcessId.Type

const FileLinkId = uuid.pipe(Schema.brand("FileLinkId"))
export type FileLinkId = typeof FileLinkId.Type

/** Draws 4096 random bytes at once, because each call to the system takes longer than making the rest of an id. */
const makeRandomBytes = () => {
  let pool = new Uint8Array()
  let used = 0
  return (size: number): Uint8Array => {
    if (pool.length < used + size) {
      pool = crypto.getRandomValues(new Uint8Array(4096))
      used = 0
    }
    used += size
    return pool.slice(used - size, used)
  }
}

/** The ids of one generator never go back in time, even if the clock does. */
export const makeIdGenerator = () => SecureRandom.make(makeRandomBytes()).uuidV7

/** A process has one generator. Only the demo makes others, for rows with past times. */
export const IdGenerator = Context.Reference("social-publisher/domain/IdGenerator", { defaultValue: makeIdGenerator })

const generator = <B extends string>(id: Schema.brand<typeof uuid, B>) =>
  Effect.flatMap(IdGenerator, (uuidV7) => Effect.map(uuidV7(), (value) => id.make(value)))

/** These make a UUIDv7 with the time of `Clock`, so that ids sort by creation time. */
export const nextPostId = generator(PostId)
export const nextTargetId = generator(TargetId)
export const nextWorkspaceId = generator(WorkspaceId)
export const nextIntegrationId = generator(IntegrationId)
export const nextNotificationId = generator(NotificationId)
export const nextNotificationDeliveryId = generator(NotificationDeliveryId)
export const nextEventId = generator(EventId)
export const nextWebhookId = generator(WebhookId)
export const nextChannelId = generator(ChannelId)
export const nextApiKeyId = generator(ApiKeyId)
export const nextInviteId = generator(InviteId)
export const nextUserId = generator(UserId)
export const nextSessionId = generator(SessionId)
export const nextClaimToken = generator(ClaimToken)
export const nextProcessId = generator(ProcessId)
export const nextMediaId = generator(MediaId)
export const nextMediaStoreId = generator(MediaStoreId)
export const nextFileLinkId = generator(FileLinkId)

export const smallestIdAt = (time: DateTime.Utc): string => {
  const millis = Math.max(0, time.epochMilliseconds).toString(16).padStart(12, "0")
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7000-8000-000000000000`
}
