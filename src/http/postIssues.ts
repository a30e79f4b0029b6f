import { Option, Predicate, Schema, Struct } from "effect"
import { CreatePost } from "../api/posts/postBodies.ts"
import type { Issue } from "../domain/errors.ts"
import { missingTime } from "../domain/posts/postPlan.ts"
import {
  findBlankTexts,
  findForeignPlatforms,
  findTextIssues,
  type PostTexts,
  textsOf
} from "../domain/posts/postTexts.ts"
import type { Rules } from "../domain/posts/platformRules.ts"
import { listIssues } from "./issues.ts"

const members = ["content", "platforms", "platform_overrides", "media", "group_id"] as const

const decodeTexts = Schema.decodeUnknownOption(Schema.Struct(Struct.pick(CreatePost.fields, members)))
const decodeThread = Schema.decodeUnknownOption(Schema.Struct(Struct.pick(CreatePost.fields, ["thread"])))
const decodeSettings = Schema.decodeUnknownOption(Schema.Struct(Struct.pick(CreatePost.fields, ["platform_settings"])))

/** Leaves out a thread and settings that do not fit their schemas. */
export const decodePostTexts = (body: unknown): Option.Option<PostTexts> =>
  Option.map(decodeTexts(body), (texts) => ({
    ...texts,
    ...Option.getOrElse(decodeThread(body), () => ({})),
    ...Option.getOrElse(decodeSettings(body), () => ({}))
  }))

/** Null counts as absent. */
const has = (body: object, member: string): boolean => Predicate.isNotNullish(Reflect.get(body, member))

const readText = Schema.decodeUnknownOption(
  Schema.Struct({ content: Schema.String, media: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))) })
)

/** A text that can't be read counts as not blank. */
const readable = (value: unknown) =>
  Option.match(readText(value), {
    onNone: () => ({ content: "unreadable", media: [] }),
    onSome: ({ content, media }) => ({ content, media: media ?? [] })
  })

const findBlanks = (body: object): ReadonlyArray<Issue> => {
  const thread: unknown = Reflect.get(body, "thread")
  return findBlankTexts({ ...readable(body), thread: Array.isArray(thread) ? thread.map(readable) : [] })
}

const findFurtherIssues = (rules: Rules, body: object): ReadonlyArray<Issue> => {
  const status: unknown = Reflect.get(body, "status")
  const lacksTime = status === "scheduled" && !has(body, "schedule_at")
  const isScheduled = status === "scheduled" || (!has(body, "status") && has(body, "schedule_at"))
  const texts = Option.map(decodePostTexts(body), textsOf)
  return [
    ...findBlanks(body),
    ...(Option.isSome(texts) ? findForeignPlatforms(texts.value) : []),
    ...(lacksTime ? [missingTime] : []),
    ...(Option.isSome(texts) && isScheduled ? findTextIssues(rules, texts.value) : [])
  ]
}

export const listPostIssues = (rules: Rules, error: Schema.SchemaError, body: unknown): ReadonlyArray<Issue> => [
  ...listIssues(error, body),
  ...(Predicate.isObject(body) ? findFurtherIssues(rules, body) : [])
]
