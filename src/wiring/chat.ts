import { Effect, Layer } from "effect"
import { ChannelTests } from "../chat/ChannelTests.ts"
import { ChatDeliverer } from "../chat/ChatDeliverer.ts"
import { chatFibers } from "../chat/chatFibers.ts"
import { ChatSender } from "../chat/ChatSender.ts"
import type { Configuration } from "../config.ts"
import { outboundLayer } from "./outbound.ts"

const senderLayer = (config: Configuration) => Layer.provide(ChatSender.layer, outboundLayer(config))

/** For requests that test a channel. */
export const channelTestsLayer = (config: Configuration) =>
  Layer.provide(ChannelTests.layer(config), senderLayer(config))

/** Sends notifications to the channels of workspaces. */
export const chatLayer = (config: Configuration) =>
  Layer.merge(
    Layer.effectDiscard(Effect.logInfo("Chat is on: workspaces can add channels of Slack, Discord and Mattermost")),
    chatFibers.pipe(Layer.provide(ChatDeliverer.layer(config)), Layer.provide(senderLayer(config)))
  )
