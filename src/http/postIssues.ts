import { Option, Predicate, Schema, Struct } from "effect"
import { CreatePost } from "../api/posts/postBodies.ts"
import type { Issue } from "../domain/errors.ts"
import { findBlankContent, findTextIssues, missingTime, textsOf } from "../domain/posts/postPlan.ts"
import type { TwitterAccess } from "../domain/posts/text/twitterAccess.ts"
import { listIssues } from "./issues.ts"

/** The part of a body that says which text goes to which platform, and what it is checked with in the database. */
const PostTexts = Schema.Struct(
  Struct.pick(CreatePost.fields, ["content", "platforms", "platform_overrides", "media", "group_id"])
)

/** That part of a body, if it fits the schema, whatever else does not. */
export const decodePostTexts = Schema.decodeUnknownOption(PostTexts)

/** Whether a member of a body is given, as null counts as omitted. */
const has = (body: object, member: string): boolean => Predicate.isNotNullish(Reflect.get(body, member))

const readContent = Schema.decodeUnknownOption(
  Schema.Struct({ content: Schema.String, media: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))) })
)

const findBlankText = (body: object): ReadonlyArray<Issue> =>
  Option.match(readContent(body), {
    onNone: () => [],
    onSome: ({ content, media }) => findBlankContent({ content, media: media ?? [] })
  })

/** What a body that does not fit its schema would be refused for once it does. */
const findFurtherIssues = (body: object, access: TwitterAccess): ReadonlyArray<Issue> => {
  const status: unknown = Reflect.get(body, "status")
  const lacksTime = status === "scheduled" && !has(body, "schedule_at")
  const isScheduled = status === "scheduled" || (!has(body, "status") && has(body, "schedule_at"))
  const texts = isScheduled ? decodePostTexts(body) : Option.none()
  return [
    ...findBlankText(body),
    ...(lacksTime ? [missingTime] : []),
    ...(Option.isSome(texts) ? findTextIssues(textsOf(texts.value), access) : [])
  ]
}

/** The fields of a post to create that do not fit their schema, and what else can be seen to be wrong with the body. */
export const listPostIssues = (
  error: Schema.SchemaError,
  body: unknown,
  access: TwitterAccess
): ReadonlyArray<Issue> => [
  ...listIssues(error, body),
  ...(Predicate.isObject(body) ? findFurtherIssues(body, access) : [])
]
