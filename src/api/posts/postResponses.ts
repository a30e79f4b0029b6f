import { Effect, Schema, SchemaTransformation, Struct } from "effect"
import { Issue } from "../../domain/errors.ts"
import { PostId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import { LivePlatform, Platform } from "../../domain/platform.ts"
import { cardName, LinkCard } from "../../domain/posts/linkCard.ts"
import { PostApproval } from "../../domain/posts/postApproval.ts"
import { Post, PostTarget, postExamples, PostStatus } from "../../domain/posts/post.ts"
import * as sample from "../../domain/samples.ts"
import { dataOf, deleted, pageOf } from "../data.ts"
import { examples } from "../examples.ts"
import { PostCursor, sampleCursor } from "../pagination.ts"
import { textUnits } from "./splitting.ts"

export const OnePost = Schema.Struct({ data: Post })
  .annotate({ identifier: "OnePost", description: "The post." })
  .pipe(examples({ post: { data: postExamples.publishing } }))

/**
 * A field that the previous version lacks. Responses stored for an Idempotency-Key by that version get `value` instead.
 */
export const newer = <S extends Schema.Constraint>(value: S["Encoded"]) =>
  Schema.withDecodingDefaultKey<S>(Effect.succeed(value))

const ReplayedApproval = Schema.NullOr(PostApproval.mapFields(Struct.evolve({ outdated: newer(false) })))

export const ReplayedPost = Post.mapFields(
  Struct.evolve({
    platform_overrides: newer({}),
    platform_settings: newer({}),
    media: newer([]),
    thread: newer([]),
    revision: newer(1),
    copied_from: newer(null),
    reply_to: newer(null),
    created_by: newer(null),
    approval: () => newer<typeof ReplayedApproval>(null)(ReplayedApproval),
    post_targets: () =>
      Schema.Array(
        PostTarget.mapFields(Struct.evolve({ parts: newer(null), account_id: newer(null), copied_to: newer(null) }))
      )
  })
)

export const ReplayableOnePost = Schema.Struct({ data: ReplayedPost }).pipe(
  Schema.decodeTo(
    Schema.toType(Post),
    SchemaTransformation.transform({ decode: ({ data }) => data, encode: (data) => ({ data }) })
  )
)

export const PostPage = pageOf(Post, "The posts.", PostCursor)
  .annotate({ identifier: "PostPage", description: "A page of posts, newest first." })
  .pipe(examples({ page: { data: [postExamples.publishing], next_cursor: sampleCursor } }))

const created = {
  id: sample.postId,
  status: "scheduled",
  scheduled_at: "2030-01-31T09:00:00.000Z",
  platforms: sample.platforms
} as const

// SPEC.md specifies these fields and no others.
export const CreatedPost = Schema.Struct({
  id: PostId.annotateKey({ description: "The post's id." }),
  status: PostStatus,
  scheduled_at: Schema.NullOr(Instant).annotateKey({
    description: "When the post is due; null for a draft without a time."
  }),
  platforms: Schema.Array(Platform).annotateKey({ description: "The platforms to publish on." })
})
  .annotate({ identifier: "CreatedPost", description: "The created post; `Location` is its URL." })
  .pipe(examples({ scheduled: created, draft: { ...created, status: "draft", scheduled_at: null } }))

const warnings = Schema.Array(Issue).annotateKey({
  description:
    "Everything of the original that the copy lacks, each with its place in the original: files that are gone, and a group that is full. Empty if it lacks nothing."
})

export const CopiedPost = Schema.Struct({ data: Post, warnings })
  .annotate({ identifier: "CopiedPost", description: "The copy, a draft; `Location` is its URL." })
  .pipe(
    examples({
      whole: { data: postExamples.copy, warnings: [] },
      withoutFile: {
        data: postExamples.copy,
        warnings: [{ path: ["media", 0], message: `The file ${sample.mediaId} is gone; the copy is without it` }]
      }
    })
  )

export const ReplayableCopiedPost = Schema.Struct({ post: ReplayedPost, warnings }).pipe(
  Schema.encodeKeys({ post: "data" })
)

export const leftOnPlatforms = Schema.Int.annotateKey({
  description:
    "How many posts stay on platforms, each part of a thread by itself. A post whose outcome is not known is not counted, and neither is a private video that was uploaded to YouTube ahead: it stays in the channel."
})

export const DeletedPost = dataOf("The deleted post.", {
  id: PostId.annotateKey({ description: "The post's id." }),
  deleted,
  left_on_platforms: leftOnPlatforms
})
  .annotate({ identifier: "DeletedPost", description: "The post was deleted." })
  .pipe(
    examples({
      deleted: { data: { id: sample.postId, deleted: true, left_on_platforms: 0 } },
      published: { data: { id: sample.postId, deleted: true, left_on_platforms: 2 } }
    })
  )

export const ReplayableDeletedPost = Schema.Struct({
  data: DeletedPost.fields.data.mapFields(Struct.evolve({ left_on_platforms: newer(0) }))
})

const invalid = {
  valid: false,
  errors: [
    {
      path: ["platform_overrides", sample.platform],
      message: `${sample.platform} accepts a length of 280 weighted characters, but this text has 312`,
      code: "text_too_long",
      facts: { platform: sample.platform, limit: 280, length: 312 }
    }
  ],
  targets: [
    { platform: sample.platform, length: 312, limit: 280, valid: false },
    { platform: sample.otherPlatform, length: 23, limit: 300, valid: true }
  ]
} as const

const PartValidation = Schema.Struct({
  part: Schema.Int.annotateKey({ description: "The number of the part among those that the platform gets, from 1." }),
  length: Schema.Int.annotateKey({ description: "The part's length, in the platform's own unit." }),
  limit: Schema.Int.annotateKey({ description: "The platform's limit, in the same unit." }),
  valid: Schema.Boolean.annotateKey({ description: "Whether the platform accepts the part's text." })
})

const Validation = Schema.Struct({
  valid: Schema.Boolean.annotateKey({ description: "Whether creating the post would succeed." }),
  errors: Schema.Array(Issue).annotateKey({ description: "Everything that prevents creating the post." }),
  warnings: Schema.optionalKey(Schema.Array(Issue)).annotateKey({
    description: "Only if there are any: what the post may lack or a platform may refuse, although it can be created."
  }),
  targets: Schema.Array(
    Schema.Struct({
      platform: LivePlatform,
      length: Schema.Int.annotateKey({
        description: `The text's length, in the platform's own unit: ${textUnits}.`
      }),
      limit: Schema.Int.annotateKey({ description: "The platform's limit, in the same unit." }),
      valid: Schema.Boolean.annotateKey({ description: "Whether the platform accepts the text." }),
      parts: Schema.optionalKey(Schema.Array(PartValidation)).annotateKey({
        description: "Only with a `thread`: the parts that the platform gets, in their order, from `content` on."
      })
    })
  ).annotateKey({ description: "The text's length on each platform that is enabled for publishing." }),
  cost_estimate: Schema.optionalKey(
    Schema.Struct({
      usd: Schema.Finite.annotateKey({ description: "US dollars." }),
      note: Schema.String.annotateKey({ description: "What the estimate covers, and the date of the prices." })
    })
  ).annotateKey({ description: "Only with a text on twitter: what X is likely to charge for its posts." }),
  card: Schema.optionalKey(Schema.NullOr(LinkCard)).annotateKey({
    description: `Only with \`cards\`: the card of the first link on ${cardName}; null if there is no such link, the page gave no title in time, or the post has media and the link can't be quoted.`
  })
}).annotate({
  identifier: "Validation",
  description: "Whether a post can be created, and the length of its text on each platform that is enabled.",
  examples: [invalid]
})

// The identifier `ValidationAnswer` is permanent, because generated clients name the schema after it.
export const ValidationResponse = Schema.Struct({ data: Validation })
  .annotate({ identifier: "ValidationAnswer", description: "The result of the validation." })
  .pipe(examples({ invalid: { data: invalid } }))
