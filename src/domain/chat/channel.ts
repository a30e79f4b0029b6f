import { Schema } from "effect"
import { ChannelId } from "../ids.ts"
import { describedInstant } from "../instant.ts"
import { NamedAuthor, userExample } from "../people/namedAuthor.ts"
import { channelKinds } from "../plain/chat.ts"
import { mailTypes } from "../plain/mail.ts"
import * as sample from "../samples.ts"

export const ChannelKind = Schema.Literals(channelKinds).annotate({
  title: "ChannelKind",
  description: "The chat program whose incoming webhook the URL is.",
  examples: ["slack"]
})

/** A type of notifications. People can get the same ones by mail. */
export const ChannelType = Schema.Literals(mailTypes).annotate({
  title: "ChannelType",
  description: "A type of notifications.",
  examples: ["post.failed"]
})

const ChannelDisabledReason = Schema.Literals(["manual", "revoked"]).annotate({
  title: "ChannelDisabledReason",
  description:
    "`manual`: it was disabled with the API. `revoked`: the chat program responded that the URL or its channel does not exist any more.",
  examples: ["revoked"]
})

export const channelExample = {
  id: sample.channelId,
  kind: "slack",
  name: "#social",
  url: "https://hooks.slack.com/…Zx8k",
  types: ["post.failed", "integration.disconnected"],
  enabled: true,
  disabled_reason: null,
  paused_until: null,
  created_at: "2030-01-02T08:15:30.250Z",
  created_by: userExample
} as const

export const Channel = Schema.Struct({
  id: ChannelId.annotateKey({ description: "The channel's id." }),
  kind: ChannelKind,
  name: Schema.String.annotateKey({ description: "A name for people." }),
  url: Schema.String.annotateKey({
    description:
      "The incoming webhook's URL, shortened, because it is a secret: the origin, and the last four characters of a long URL."
  }),
  types: Schema.Array(ChannelType).annotateKey({ description: "The types of notifications that it gets." }),
  enabled: Schema.Boolean.annotateKey({ description: "Whether notifications are sent to it." }),
  disabled_reason: Schema.NullOr(ChannelDisabledReason).annotateKey({
    description: "Why no notifications are sent; null while they are."
  }),
  paused_until: Schema.NullOr(describedInstant("When the pause ends.")).annotateKey({
    description: "When the pause ends that the chat program has asked for; null without one of more than a minute."
  }),
  created_at: describedInstant("When the channel was created."),
  created_by: Schema.NullOr(NamedAuthor).annotateKey({
    description: "Who created the channel; null if that is not known."
  })
})
  .annotate({ identifier: "Channel", description: "An incoming webhook of a chat program that gets notifications." })
  .pipe(Schema.annotateEncoded({ examples: [channelExample] }))
export type Channel = typeof Channel.Type
