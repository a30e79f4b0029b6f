import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Event, HistoryEvent, WebhookEventType } from "../../domain/webhooks/event.ts"
import { EventDetails } from "../../domain/webhooks/eventDetails.ts"
import { eventExamples } from "../../domain/webhooks/eventExamples.ts"
import { ApiKeyId, EventId, PostId } from "../../domain/ids.ts"
import { NamedAuthor, userExample } from "../../domain/people/namedAuthor.ts"
import { eventId } from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { pageOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput } from "../input.ts"
import { operation } from "../operation.ts"
import { cursorParameter, EventCursor, HistoryCursor, position, sampleCursor, limitParameter } from "../pagination.ts"
import { postParams } from "../posts/Posts.ts"
import { shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"

export const defaultEventLimit = 50

const limit = limitParameter("events", 200, defaultEventLimit)

const id = EventId.annotateKey({ description: "The event's id, which webhooks are sent as `webhook-id`." })
const samplePosition = 1_893_488_401_120_000

export const EventPage = pageOf(
  Schema.Struct({
    id,
    position: position.annotateKey({
      description: "The place in the order in which events can be read; it only grows, with gaps."
    }),
    event: Event.annotateKey({ description: "What webhooks are sent." })
  }),
  "The events.",
  EventCursor
)
  .annotate({ identifier: "EventPage", description: "A page of the workspace's events, newest first." })
  .pipe(
    examples({
      page: {
        data: [{ id: eventId, position: samplePosition, event: eventExamples["post.published"] }],
        next_cursor: null
      }
    })
  )

const list = HttpApiEndpoint.get("list", "/events", {
  query: {
    post_id: Schema.optionalKey(PostId).annotateKey({ description: "Only events of this post." }),
    type: Schema.optionalKey(WebhookEventType).annotateKey({ description: "Only events of this type." }),
    by_key: Schema.optionalKey(ApiKeyId).annotateKey({
      description: "Only what was done with the API key of this id. None for a key that the workspace does not have."
    }),
    after: Schema.optionalKey(
      Schema.String.check(
        Schema.isPattern(/^(0|[1-9][0-9]{0,14}|[1-8][0-9]{15})$/, { expected: "the position of an event" })
      )
    ).annotateKey({
      description: "Only events after this position.",
      examples: ["0"]
    }),
    limit,
    cursor: cursorParameter(EventCursor)
  },
  success: EventPage
})
  .annotateMerge(
    operation({
      id: "listEvents",
      scope: "posts:read",
      summary: "List events",
      description:
        "Lists what happened in the workspace, newest first, for clients that prefer polling to webhooks; kept for 90 days. To read " +
        "what is new, pass the greatest `position` that you know as `after`, and follow `next_cursor` to the last page. No event appears " +
        "later at a position that you have passed. An event is listed within a second or two."
    })
  )
  .middleware(CheckedInput)

const HistoryPage = pageOf(
  Schema.Struct({
    id,
    event: HistoryEvent.annotateKey({ description: "What happened." }),
    details: Schema.NullOr(EventDetails).annotateKey({
      description: "Further details, which are not sent to webhooks; null without any."
    }),
    by: Schema.NullOr(NamedAuthor).annotateKey({
      description:
        "Who did it; null if the service did it by itself, or if it is not known. For a target's outcome: the person or key that " +
        "resolved it."
    })
  }),
  "The events.",
  HistoryCursor
)
  .annotate({ identifier: "HistoryPage", description: "A page of what happened to a post, newest first." })
  .pipe(
    examples({
      page: {
        data: [
          { id: eventId, event: eventExamples["post.target.retried"], details: { account: "acme" }, by: null },
          { id: eventId, event: eventExamples["post.approved"], details: null, by: userExample }
        ],
        next_cursor: sampleCursor
      }
    })
  )

const history = HttpApiEndpoint.get("history", "/posts/:id/history", {
  params: postParams,
  query: {
    limit,
    cursor: cursorParameter(HistoryCursor)
  },
  success: HistoryPage,
  error: shown.NotFound
})
  .annotateMerge(
    operation({
      id: "getPostHistory",
      scope: "posts:read",
      summary: "Get a post's history",
      description:
        "Lists what happened to a post and who did it, newest first, for 90 days and also after it was deleted: its events, and the changes " +
        "and attempts that webhooks are not sent."
    })
  )
  .middleware(CheckedInput)

export class Events extends HttpApiGroup.make("events")
  .add(list, history)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1")
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "What happened to posts and accounts." })) {}
