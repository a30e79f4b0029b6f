import type { DateTime, Effect, Redacted } from "effect"
import type { Channel } from "../../domain/chat/channel.ts"
import type {
  ChannelLimit,
  CredentialsUnreadable,
  DatabaseUnavailable,
  InvalidRequest,
  InvalidState,
  NotFound
} from "../../domain/errors.ts"
import type { ChannelId, WorkspaceId } from "../../domain/ids.ts"
import type { Authority } from "../../domain/people/authority.ts"
import type { ChannelKind } from "../../domain/plain/chat.ts"
import type { MailType } from "../../domain/plain/mail.ts"
import type { Reencrypted } from "../integrations/reencrypted.ts"
import type { AuthorityError } from "../people/authority.ts"

export interface NewChannel {
  readonly kind: ChannelKind
  readonly name: string
  /** The whole URL, not the masked form. */
  readonly url: string
  readonly types: ReadonlyArray<MailType>
}

export type ChannelPatch = Partial<Omit<NewChannel, "kind">> & { readonly enabled?: boolean }

/** A channel with its secret URL, to send to it now. */
export interface OpenedChannel {
  readonly workspaceId: WorkspaceId
  readonly channelId: ChannelId
  readonly kind: ChannelKind
  readonly workspaceName: string
  readonly url: Redacted.Redacted
  /** Encrypted; tells the URL from a later one. */
  readonly sealedUrl: Uint8Array
}

export interface Channels {
  readonly create: (
    workspaceId: WorkspaceId,
    channel: NewChannel,
    by: Authority
  ) => Effect.Effect<Channel, InvalidRequest | ChannelLimit | AuthorityError | DatabaseUnavailable>
  /** Newest first. */
  readonly list: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Channel>, DatabaseUnavailable>
  readonly get: (workspaceId: WorkspaceId, id: ChannelId) => Effect.Effect<Channel, NotFound | DatabaseUnavailable>
  /**
   * `checkUrl` gets the channel's kind and another URL than the stored one. Another URL enables a channel whose URL was
   * revoked. Its own masked URL changes nothing; any other is refused.
   */
  readonly update: <E>(
    workspaceId: WorkspaceId,
    id: ChannelId,
    patch: ChannelPatch,
    checkUrl: (kind: ChannelKind, url: string) => Effect.Effect<void, E>
  ) => Effect.Effect<Channel, E | InvalidRequest | NotFound | DatabaseUnavailable>
  /** Also deletes its deliveries. Only a message in flight continues. */
  readonly remove: (workspaceId: WorkspaceId, id: ChannelId) => Effect.Effect<void, NotFound | DatabaseUnavailable>
  /** Fails with InvalidState if it is disabled. */
  readonly open: (
    workspaceId: WorkspaceId,
    id: ChannelId
  ) => Effect.Effect<OpenedChannel, InvalidState | NotFound | CredentialsUnreadable | DatabaseUnavailable>
  readonly openUrl: (id: ChannelId, sealedUrl: Uint8Array) => Effect.Effect<Redacted.Redacted, CredentialsUnreadable>
  /** Records the effect of a message outside the queue: the pause that was asked for, or that the URL was revoked. */
  readonly record: (
    channel: Pick<OpenedChannel, "channelId" | "sealedUrl" | "workspaceId">,
    effect: { readonly heldUntil: DateTime.Utc | null; readonly isRevoked: boolean }
  ) => Effect.Effect<void, DatabaseUnavailable>
  readonly reencrypt: Effect.Effect<Reencrypted<ChannelId>, DatabaseUnavailable>
}
