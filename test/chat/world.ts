import { Effect, Layer } from "effect"
import { ChannelTests } from "../../src/chat/ChannelTests.ts"
import { ChatDeliverer } from "../../src/chat/ChatDeliverer.ts"
import { ChatOrigins } from "../../src/chat/ChatOrigins.ts"
import { ChatSender } from "../../src/chat/ChatSender.ts"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import type { ChannelKind } from "../../src/domain/plain/chat.ts"
import { defaultChannelTypes, type MailType } from "../../src/domain/plain/mail.ts"
import { dispatchNotifications } from "../../src/mail/deliveryFibers.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeMember } from "../support/http/team.ts"

/** Each ends with a secret that appears nowhere else. */
export const secretUrls: Readonly<Record<ChannelKind, string>> = {
  slack: "https://hooks.slack.com/services/T0canary/B0canary/canarysecretofslack",
  discord: "https://discord.com/api/webhooks/4711/canarysecretofdiscord",
  mattermost: "https://chat.example/hooks/canarysecretofmattermost"
}

/** All chat programs at one origin. */
const originsAt = (origin: string) => ({
  "hooks.slack.com": origin,
  "discord.com": origin,
  "chat.example": origin
})

const senderLayer = (origin: string) =>
  ChatSender.layer.pipe(
    Layer.provide([Outbound.layer({ loopback: true }), Layer.succeed(ChatOrigins, originsAt(origin))])
  )

const baseUrl = "https://posts.example"

export const channelTestsAt = (origin: string) => Layer.provide(ChannelTests.layer({ baseUrl }), senderLayer(origin))

/** Runs an effect with a deliverer of its own, which sends to a stand-in. */
export const withChat = <A, E, R>(origin: string, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(
    Layer.build(Layer.fresh(Layer.provide(ChatDeliverer.layer({ baseUrl }), senderLayer(origin)))),
    (context) => Effect.provideContext(effect, context)
  ).pipe(Effect.scoped)

/** Chooses the receivers of what was recorded, and sends what is due. */
export const sendDueChat = Effect.gen(function* () {
  const deliverer = yield* ChatDeliverer
  yield* dispatchNotifications
  yield* Effect.repeat(Effect.tap(deliverer.tick, deliverer.idle), { until: (claimed) => claimed === 0 })
})

interface ChannelOptions {
  readonly kind?: ChannelKind
  readonly types?: ReadonlyArray<MailType>
  readonly url?: string
}

/** A channel that an admin of the workspace has added. */
export const makeChannel = Effect.fn("makeChannel")(function* (
  workspaceId: WorkspaceId,
  { kind = "slack", types = defaultChannelTypes, url = secretUrls[kind] }: ChannelOptions = {}
) {
  const { channels } = yield* Repo
  const { id } = yield* makeMember(workspaceId)
  return yield* channels.create(
    workspaceId,
    { kind, name: "#social", url, types },
    { author: { type: "user", id }, workspaceId, roles: ["admin"] }
  )
})
