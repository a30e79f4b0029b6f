import { Schema, SchemaTransformation } from "effect"
import { CreatorId, GroupId } from "../../domain/ids.ts"
import { Instant } from "../../domain/instant.ts"
import { maxStoredTagLength } from "../../domain/plain/limits.ts"
import { maxSearchLength, maxSearchWords, minSearchLength } from "../../domain/plain/searchLimits.ts"
import { Platform } from "../../domain/platform.ts"
import { PostStatus } from "../../domain/posts/post.ts"
import { ApprovalFilter, ListOrder, PostSort, TimeFilter } from "../../domain/posts/postList.ts"
import { inThousands } from "../../domain/posts/postSize.ts"
import { groupId, userId } from "../../domain/samples.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import { cursorParameter, PostCursor, wholeNumber } from "../pagination.ts"

export const defaultPostLimit = 20
/** A page has at least this many posts, however large, if `limit` allows it and the list has them. */
export const wholePageLimit = 200
/** Once a page has `wholePageLimit` posts, it may end after this many bytes of JSON. */
export const maxPageBytes = 4_000_000

/** The most posts that a search by text or author examines for one page. */
export const maxTriedPosts = 20_000

const expectedTag = `a tag of 1 to ${maxStoredTagLength} UTF-16 code units`

const expectedSearch = `a text of ${minSearchLength} to ${maxSearchLength} UTF-16 code units without the spaces around it`

const SearchText = Schema.String.pipe(
  Schema.decodeTo(
    Text.check(
      Schema.isMinLength(minSearchLength, { expected: expectedSearch }),
      Schema.isMaxLength(maxSearchLength, { expected: expectedSearch })
    ),
    SchemaTransformation.trim()
  )
)

/** A time in a URL. If the `+` before the offset is not escaped, it arrives as a space. */
export const InstantParameter = Schema.String.annotate({ format: "date-time" }).pipe(
  Schema.decodeTo(
    Instant,
    SchemaTransformation.transform({ decode: (text) => text.replace(" ", "+"), encode: (text) => text })
  )
)

const time = (description: string, example: string) =>
  Schema.optionalKey(InstantParameter.pipe(Schema.annotateEncoded({ description, examples: [example] })))

export const postListQuery = {
  status: Schema.optionalKey(PostStatus).annotateKey({ description: "Only posts with this status." }),
  group_id: Schema.optionalKey(GroupId).annotateKey({
    description: "Only posts of this group.",
    examples: [GroupId.make(groupId)]
  }),
  tag: Schema.optionalKey(
    Text.check(
      Schema.isMinLength(1, { expected: expectedTag }),
      Schema.isMaxLength(maxStoredTagLength, { expected: expectedTag })
    )
  ).annotateKey({
    description: "Only posts with this tag among theirs, in the same case.",
    examples: ["release"]
  }),
  platform: Schema.optionalKey(Platform).annotateKey({ description: "Only posts with a target on this platform." }),
  scheduled_from: time(
    "Only posts whose `scheduled_at` is this time or later. Posts without a time are left out.",
    "2030-01-01T00:00:00.000Z"
  ),
  scheduled_to: time(
    "Only posts whose `scheduled_at` is before this time. Posts without a time are left out.",
    "2030-02-01T00:00:00.000Z"
  ),
  created_from: time("Only posts that were created at this time or later.", "2030-01-01T00:00:00.000Z"),
  created_to: time("Only posts that were created before this time.", "2030-02-01T00:00:00.000Z"),
  approval: Schema.optionalKey(ApprovalFilter).annotateKey({
    description:
      "`requested`: only drafts for which approval was requested and not decided yet. A change voids the request, except one of the time or tags by somebody who may approve, and one with `keep_approval_request`."
  }),
  time: Schema.optionalKey(TimeFilter).annotateKey({ description: "`none`: only drafts that have no time yet." }),
  created_by: Schema.optionalKey(CreatorId).annotateKey({
    description:
      "Only posts that this user or API key made: an id as in a post's `created_by`. As with `text`, a page may end early.",
    examples: [CreatorId.make(userId)]
  }),
  text: Schema.optionalKey(
    SearchText.pipe(
      Schema.annotateEncoded({
        description:
          "Only posts that contain each word of this text in their `content`, in one of their `platform_overrides` or in a tag, ignoring " +
          "case. The words may be in any order and in different places. Words between double quotation marks have to stand together, as " +
          `have all words from the ${maxSearchWords}th on if there are more. There are no wildcards. ` +
          "A page tries at most " +
          `${inThousands(maxTriedPosts)} posts in the list's order, so it may have fewer posts than \`limit\`, or none, ` +
          "although there are more: only a `next_cursor` of null ends the list.",
        examples: ["release"]
      })
    )
  ),
  sort: Schema.optionalKey(PostSort).annotateKey({
    description:
      "What the posts are sorted by; `created_at` by default. `scheduled_at` lists only posts that have a time, those of the same time by `id`."
  }),
  order: Schema.optionalKey(ListOrder).annotateKey({
    description: "`desc`, the default, lists the newest or latest first; `asc` the oldest or earliest."
  }),
  limit: wholeNumber({
    description:
      `The maximum number of posts to return. A page has up to ${wholePageLimit} posts however large they are; beyond that it may end ` +
      `early with ${maxPageBytes / 1e6} MB of JSON, and \`next_cursor\` leads to the rest.`,
    minimum: 1,
    maximum: 1000,
    default: defaultPostLimit
  }),
  cursor: cursorParameter(
    PostCursor,
    "The `next_cursor` of the previous page. It continues the list that it came with: the filters, `sort` and `order` have to be " +
      "the same, only `limit` may differ."
  )
}

const Query = Schema.Struct(postListQuery)
export type PostListQuery = typeof Query.Type
