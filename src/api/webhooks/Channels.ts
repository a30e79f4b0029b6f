import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Channel, channelExample, ChannelKind, ChannelType } from "../../domain/chat/channel.ts"
import { ChannelId, NotificationDeliveryId } from "../../domain/ids.ts"
import { defaultMailLimit, MailStatus } from "../../domain/mail/mailDelivery.ts"
import { Name } from "../../domain/name.ts"
import { maxChannels } from "../../domain/plain/limits.ts"
import { defaultChannelTypes } from "../../domain/plain/mail.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { channelId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { dataOf, deleted, listOf, pageOf } from "../data.ts"
import { deliveryFields, deliveryIdParameter, failedDelivery, queuedAgain } from "../deliveryFields.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { operation } from "../operation.ts"
import { optional } from "../orNull.ts"
import { cursorParameter, limitParameter, MailCursor } from "../pagination.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

const scope = "webhooks:manage"

const params = {
  id: ChannelId.annotateKey({ description: "The channel's id.", examples: [ChannelId.make(channelId)] })
}

const url = Text.check(Schema.isNonEmpty(), Schema.isMaxLength(2048))
const urlText =
  "The URL of an incoming webhook, as the chat program shows it: `https://hooks.slack.com/services/…`, `https://discord.com/api/webhooks/…`, or one that ends in `/hooks/…` of a Mattermost server on the internet. Responses show it shortened."
const types = Schema.Array(ChannelType).check(Schema.isMinLength(1), Schema.isMaxLength(ChannelType.literals.length))
const typesText = "The types of notifications that it gets, at least one"

const CreateChannel = Schema.Struct({
  kind: ChannelKind,
  name: Name.annotateKey({ description: "A name for people, such as the one of the channel." }),
  url: url.annotateKey({ description: urlText }),
  types: optional(types, `${typesText}: by default ${defaultChannelTypes.map((type) => `\`${type}\``).join(", ")}.`)
})
  .annotate({ identifier: "CreateChannel", description: "A channel to create. Unknown members are rejected." })
  .pipe(
    examples({
      slack: { kind: "slack", name: "#social", url: "https://hooks.slack.com/services/T000/B000/XXXX" },
      failures: {
        kind: "discord",
        name: "Failures",
        url: "https://discord.com/api/webhooks/1234/abcd",
        types: ["post.failed"]
      }
    })
  )

const UpdateChannel = Schema.Struct({
  name: optional(Name, "A name for people."),
  url: optional(
    url,
    `${urlText} The shortened form leaves it as it is. Another URL also enables a channel whose URL was revoked.`
  ),
  types: optional(types, `${typesText}.`),
  enabled: optional(Schema.Boolean, "Whether notifications are sent. Those of the meantime are not sent later.")
})
  .annotate({
    identifier: "UpdateChannel",
    description: "The members of a channel to change; omitted ones stay as they are. Unknown members are rejected."
  })
  .pipe(examples({ types: { types: ["post.failed", "post.published"] }, disable: { enabled: false } }))

export const OneChannel = Schema.Struct({ data: Channel })
  .annotate({ identifier: "OneChannel", description: "The channel." })
  .pipe(examples({ channel: { data: channelExample } }))

export const ChannelList = listOf(Channel, "The channels.")
  .annotate({ identifier: "ChannelList", description: "The workspace's channels, newest first." })
  .pipe(examples({ list: { data: [channelExample] } }))

const DeletedChannel = dataOf("The change.", {
  id: ChannelId.annotateKey({ description: "The channel's id." }),
  deleted
})
  .annotate({ identifier: "DeletedChannel", description: "The channel is deleted." })
  .pipe(examples({ deleted: { data: { id: channelId, deleted: true } } }))

export const TestedChannel = dataOf("The result.", {
  delivered: Schema.Boolean.annotateKey({ description: "Whether the chat program has accepted the message." }),
  answer: Schema.String.annotateKey({ description: "What the chat program answered, or why there is no answer." })
})
  .annotate({ identifier: "TestedChannel", description: "The result of a test." })
  .pipe(
    examples({
      delivered: { data: { delivered: true, answer: "Slack answered 200" } },
      revoked: { data: { delivered: false, answer: "Slack answered 404: no_service" } }
    })
  )

const deliveryExample = { ...failedDelivery, error: "Slack answered 500: rollup_error" } as const

const ChannelDelivery = Schema.Struct({
  id: NotificationDeliveryId.annotateKey({ description: "The delivery's id." }),
  ...deliveryFields
})
  .annotate({ identifier: "ChannelDelivery", description: "One message to a channel." })
  .pipe(Schema.annotateEncoded({ examples: [deliveryExample] }))

export const ChannelDeliveryPage = pageOf(ChannelDelivery, "The deliveries.", MailCursor)
  .annotate({ identifier: "ChannelDeliveryPage", description: "A page of a channel's deliveries, newest first." })
  .pipe(examples({ page: { data: [deliveryExample], next_cursor: null } }))

const OneChannelDelivery = Schema.Struct({ data: ChannelDelivery })
  .annotate({ identifier: "OneChannelDelivery", description: "The delivery, which is queued." })
  .pipe(examples({ queued: { data: { ...deliveryExample, ...queuedAgain } } }))

const create = HttpApiEndpoint.post("create", "/", {
  payload: CreateChannel,
  success: HttpApiSchema.WithHeaders(OneChannel.pipe(HttpApiSchema.status(201)), { location: Schema.String }),
  error: shown.ChannelLimit
})
  .annotateMerge(
    operation({
      id: "createChannel",
      scope,
      summary: "Create a channel",
      description: `Creates a channel, which gets notifications in Slack, Discord or Mattermost. A workspace may have ${maxChannels}. A channel gets at most one message of a type in five minutes; it counts what happened.`
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const list = HttpApiEndpoint.get("list", "/", { success: ChannelList })
  .annotateMerge(
    operation({
      id: "listChannels",
      scope,
      summary: "List channels",
      description: "Lists the workspace's channels, newest first."
    })
  )
  .middleware(CheckedInput)

const get = HttpApiEndpoint.get("get", "/:id", { params, success: OneChannel, error: shown.NotFound })
  .annotateMerge(operation({ id: "getChannel", scope, summary: "Get a channel", description: "Returns a channel." }))
  .middleware(CheckedInput)

const update = HttpApiEndpoint.patch("update", "/:id", {
  params,
  payload: UpdateChannel,
  success: OneChannel,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "updateChannel",
      scope,
      summary: "Update a channel",
      description: "Changes the given members. Messages that wait follow the change."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const remove = HttpApiEndpoint.delete("delete", "/:id", { params, success: DeletedChannel, error: shown.NotFound })
  .annotateMerge(
    operation({
      id: "deleteChannel",
      scope,
      summary: "Delete a channel",
      description: "Deletes a channel and its deliveries. A message that is being sent is not taken back."
    })
  )
  .middleware(CheckedInput)

const test = HttpApiEndpoint.post("test", "/:id/test", {
  params,
  success: TestedChannel,
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    operation({
      id: "testChannel",
      scope,
      summary: "Test a channel",
      description:
        "Sends a message to the channel at once, whatever its types, and returns the chat program's answer. If the answer is that the URL was revoked, the channel is disabled. Fails with `invalid_state` if the channel is disabled."
    })
  )
  .middleware(CheckedInput)

const deliveries = HttpApiEndpoint.get("deliveries", "/:id/deliveries", {
  params,
  query: {
    status: Schema.optionalKey(MailStatus),
    limit: limitParameter("deliveries", 200, defaultMailLimit),
    cursor: cursorParameter(MailCursor)
  },
  success: ChannelDeliveryPage,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "listChannelDeliveries",
      scope,
      summary: "List a channel's deliveries",
      description: "Lists what was sent to a channel, or waits, in the last 30 days, newest first."
    })
  )
  .middleware(CheckedInput)

const resend = HttpApiEndpoint.post("resend", "/:id/deliveries/:delivery_id/resend", {
  params: { ...params, delivery_id: deliveryIdParameter },
  success: OneChannelDelivery.pipe(HttpApiSchema.status(202)),
  error: [shown.NotFound, shown.InvalidState]
})
  .annotateMerge(
    operation({
      id: "resendChannelDelivery",
      scope,
      summary: "Send to a channel again",
      description:
        "Queues a delivery that has ended as a new one, with an id and attempts of its own. Notifications that are settled by then are left out. Fails with `invalid_state` while the delivery is pending, or if the channel is disabled."
    })
  )
  .middleware(CheckedInput)

export class Channels extends HttpApiGroup.make("channels")
  .add(create, list, get, update, remove, test, deliveries, resend)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/channels")
  .annotateMerge(
    OpenApi.annotations({
      title: "Channels",
      description: "Channels of Slack, Discord and Mattermost that get the workspace's notifications."
    })
  ) {}
