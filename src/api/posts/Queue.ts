import { Schema, SchemaTransformation, Struct } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { isMaxItems } from "../../domain/issueCodes.ts"
import { PostId } from "../../domain/ids.ts"
import { describedInstant, Instant } from "../../domain/instant.ts"
import { NamedAuthor, userExample } from "../../domain/people/namedAuthor.ts"
import { maxQueueEntries } from "../../domain/plain/queue.ts"
import { Platform, Platforms } from "../../domain/platform.ts"
import { Post, postExamples } from "../../domain/posts/post.ts"
import { QueueEntry, QueueSchedule } from "../../domain/posts/queue.ts"
import { IfMatch } from "../../domain/posts/revisionMatch.ts"
import { maxHeldPosts, maxOrderedPosts, maxSlotDays } from "../../domain/posts/slots.ts"
import * as sample from "../../domain/samples.ts"
import { Authentication } from "../Authentication.ts"
import { Authorization } from "../Authorization.ts"
import { etag } from "../conditional.ts"
import { dataOf, listOf } from "../data.ts"
import { examples } from "../examples.ts"
import { CheckedInput, idempotencyErrors, idempotent, JsonBody } from "../input.ts"
import { operation } from "../operation.ts"
import { orNull } from "../orNull.ts"
import { ContentTooLong, shown } from "../problems.ts"
import { RateLimit } from "../RateLimit.ts"
import { seenRevision } from "./Approvals.ts"
import { InstantParameter } from "./postListQuery.ts"
import { ReplayedPost } from "./postResponses.ts"

const entryExamples = [
  { weekday: "monday", time: "09:00" },
  { weekday: "thursday", time: "17:30", platforms: [sample.platform] }
] as const

const queueExample = {
  time_zone: "Europe/Berlin",
  entries: entryExamples,
  revision: 3,
  updated_at: "2030-01-31T08:15:30.250Z",
  updated_by: userExample
} as const

const Queue = Schema.Struct({
  // Any string, because a later version may know other zones.
  time_zone: Schema.NullOr(Schema.String).annotateKey({
    description: "The time zone of the entries, by its name in the IANA database; null until the queue is set."
  }),
  entries: Schema.Array(QueueEntry).annotateKey({
    description: "The slots of a week, from Sunday 00:00 on. Without any, every full hour is a slot."
  }),
  revision: Schema.Int.annotateKey({ description: "Grows with every change; the `ETag` contains it." }),
  updated_at: Schema.NullOr(describedInstant("The last change.")).annotateKey({
    description: "When the queue was changed; null until it is set."
  }),
  updated_by: Schema.NullOr(NamedAuthor).annotateKey({
    description: "Who changed it; null until it is set, or if the person or the key is gone."
  })
})
  .annotate({ identifier: "Queue", description: "The times of a week at which a workspace publishes posts." })
  .pipe(Schema.annotateEncoded({ examples: [queueExample] }))

export const OneQueue = Schema.Struct({ data: Queue })
  .annotate({ identifier: "OneQueue", description: "The queue." })
  .pipe(examples({ queue: { data: queueExample } }))

const ReplaceQueue = Schema.Struct({
  time_zone: QueueSchedule.fields.time_zone,
  entries: Schema.Array(QueueEntry.mapFields(Struct.mapOmit(["weekday", "time"], orNull)))
    .check(isMaxItems(maxQueueEntries))
    .annotateKey({ description: Schema.resolveAnnotationsKey(QueueSchedule.fields.entries)?.description })
})
  .annotate({ identifier: "ReplaceQueue", description: "The whole queue. Unknown members are rejected." })
  .pipe(
    examples({
      twoTimes: { time_zone: "Europe/Berlin", entries: entryExamples },
      everyHour: { time_zone: "Europe/Berlin", entries: [] }
    })
  )

const nextExample = { scheduled_at: "2030-02-04T08:00:00.000Z", time_zone: "Europe/Berlin" } as const

export const NextSlot = dataOf("The slot.", {
  scheduled_at: Schema.NullOr(Instant).annotateKey({
    description: "The time of the next free slot; null if none of the next 180 days is free for the post."
  }),
  time_zone: Schema.String.annotateKey({
    description: "The queue's time zone; without a queue the person's own, or UTC."
  })
})
  .annotate({ identifier: "NextSlot", description: "The slot that a post would get now." })
  .pipe(examples({ next: { data: nextExample } }))

const slotExample = { at: "2030-02-04T08:00:00.000Z", platforms: null, post_ids: [sample.postId] } as const

const ListedSlot = Schema.Struct({
  at: describedInstant("The slot's time."),
  platforms: Schema.NullOr(Schema.Array(Platform)).annotateKey({
    description: "The platforms that a post may have to take the slot; null for all."
  }),
  post_ids: Schema.Array(PostId).annotateKey({
    description: `The posts that take the slot, at most ${maxHeldPosts}: first the one that holds it, then those that are planned for the same minute. Empty if it is free.`
  })
})
  .annotate({ identifier: "ListedSlot", description: "A slot of the queue." })
  .pipe(Schema.annotateEncoded({ examples: [slotExample] }))

export const SlotList = listOf(ListedSlot, "The slots, the earliest first.")
  .annotate({ identifier: "SlotList", description: "The slots of a range." })
  .pipe(examples({ list: { data: [slotExample] } }))

const matchesQueue = {
  "if-match": Schema.optionalKey(
    IfMatch.pipe(
      Schema.annotateEncoded({
        description:
          "Refuses the request unless the queue has this revision: the `ETag` of a response, or `*` for any.",
        examples: ['"3"']
      })
    )
  )
}

const PlatformNames = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transform({
      decode: (names): ReadonlyArray<string> => names.split(","),
      encode: (names) => names.join(",")
    })
  ),
  Schema.decodeTo(Platforms),
  Schema.annotateEncoded({
    description: "The post's platforms, separated by commas. Without it, any slot may be the next one.",
    examples: ["twitter,bluesky"]
  })
)

const rangeEnd = (description: string, example: string) =>
  InstantParameter.pipe(Schema.annotateEncoded({ description, examples: [example] }))

const get = HttpApiEndpoint.get("get", "/", { success: HttpApiSchema.WithHeaders(OneQueue, etag) }).annotateMerge(
  operation({
    id: "getQueue",
    scope: "posts:read",
    summary: "Get the queue",
    description: "Returns the times of a week at which `schedule: next_slot` schedules posts."
  })
)

const replace = HttpApiEndpoint.put("replace", "/", {
  headers: matchesQueue,
  payload: ReplaceQueue,
  success: HttpApiSchema.WithHeaders(OneQueue, etag),
  error: [shown.ApprovalRequired, shown.QueueMismatch]
})
  .annotateMerge(
    operation({
      id: "replaceQueue",
      scope: "posts:publish",
      summary: "Set the queue",
      description:
        "Replaces the time zone and the times of the week. Posts that are planned keep their times. A time that clocks skip is as much later as they skip; of one that comes twice, " +
        "the first counts. An API key that requires approval can't set the queue."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

const next = HttpApiEndpoint.get("next", "/next", {
  query: {
    platforms: Schema.optionalKey(PlatformNames),
    post_id: Schema.optionalKey(PostId).annotateKey({
      description: "The post that would take the slot: the slot that it holds is free for it.",
      examples: [PostId.make(sample.postId)]
    })
  },
  success: NextSlot
})
  .annotateMerge(
    operation({
      id: "getNextSlot",
      scope: "posts:read",
      summary: "Get the next free slot",
      description:
        "Tells which slot a post would get now, and holds it for nobody: `schedule: next_slot` may give a later one."
    })
  )
  .middleware(CheckedInput)

const slots = HttpApiEndpoint.get("slots", "/slots", {
  query: {
    from: rangeEnd("Only slots at this time or later.", "2030-02-01T00:00:00.000Z"),
    to: rangeEnd(`Only slots before this time, at most ${maxSlotDays} days after \`from\`.`, "2030-03-01T00:00:00.000Z")
  },
  success: SlotList
})
  .annotateMerge(
    operation({
      id: "listSlots",
      scope: "posts:read",
      summary: "List slots",
      description:
        "Lists the queue's slots in a range, past ones too, with the posts that take them. Empty if the queue has no times."
    })
  )
  .middleware(CheckedInput)

const seenPosts = [
  { id: sample.postId, revision: 3 },
  { id: sample.copyId, revision: 1 }
] as const

const OrderPosts = Schema.Struct({
  posts: Schema.Array(
    Schema.Struct({
      id: PostId.annotateKey({ description: "A post with a time. No post is named twice." }),
      revision: seenRevision
    })
  )
    .check(Schema.isMinLength(2), isMaxItems(maxOrderedPosts))
    .annotateKey({ description: "The posts in their new order. The first gets the earliest of their times." })
})
  .annotate({ identifier: "OrderPosts", description: "Posts in the order in which they should go out." })
  .pipe(examples({ swap: { posts: seenPosts } }))

export const OrderedPosts = listOf(Post, "The posts that have another time now, the earliest first.")
  .annotate({ identifier: "OrderedPosts", description: "The posts that were moved." })
  .pipe(examples({ swapped: { data: [postExamples.publishing] } }))

export const ReplayableOrder = Schema.Array(ReplayedPost)

const order = HttpApiEndpoint.put("order", "/order", {
  headers: idempotent,
  payload: OrderPosts,
  success: OrderedPosts,
  error: [
    shown.NotFound,
    shown.InvalidState,
    shown.PostUnreadable,
    shown.IntegrationNotConnected,
    ContentTooLong,
    shown.MediaNotReady,
    shown.NotOwnDraft,
    shown.ApprovalRequired,
    shown.RevisionMismatch,
    shown.PreconditionRequired,
    ...idempotencyErrors
  ]
})
  .annotateMerge(
    operation({
      id: "orderPosts",
      scope: "posts:write",
      summary: "Change the order of posts",
      description:
        "Gives draft or scheduled posts each other's times in the given order, with the slots that they hold. All or none: if one of them has changed since its revision, is being published, or would get a time " +
        "that has passed, every post keeps its time."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)

export class QueueGroup extends HttpApiGroup.make("queue")
  .add(get, replace, next, slots, order)
  .middleware(Authorization)
  .middleware(RateLimit)
  .middleware(Authentication)
  .prefix("/v1/queue")
  .annotateMerge(
    OpenApi.annotations({ title: "Queue", description: "The times of a week at which the workspace publishes." })
  ) {}
