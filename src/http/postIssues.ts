import { Effect, Option, Predicate, Schema, Struct } from "effect"
import { CreatePost, UpdatePost } from "../api/posts/postBodies.ts"
import type { Issue } from "../domain/errors.ts"
import { type Platform, Platforms } from "../domain/platform.ts"
import { isPlatform } from "../domain/plain/platforms.ts"
import type { NewPost, PostPatch } from "../domain/posts/newPost.ts"
import { findBlankTexts, type PostTexts } from "../domain/posts/postTexts.ts"
import { listIssues } from "./issues.ts"
import { isWithin, makeSalvage } from "./salvage.ts"

/** The readable part of a body, and the test for the issues that do not come from what is left out. */
interface Readable<A> {
  readonly value: A
  readonly isKept: (issue: Issue) => boolean
}

type Find<A, E, R> = (readable: A) => Effect.Effect<ReadonlyArray<Issue>, E, R>

const salvageNew = makeSalvage(
  Schema.toCodecJson(
    Schema.Struct({
      ...Struct.omit(CreatePost.fields, ["platforms"]),
      content: Schema.optionalKey(CreatePost.fields.content)
    })
  )
)
const salvageChange = makeSalvage(Schema.toCodecJson(UpdatePost))

/** Null counts as absent. */
const has = (body: object, member: string): boolean => Predicate.isNotNullish(Reflect.get(body, member))

const isWholeList = Schema.is(Platforms)

const knownPlatforms = (body: object): ReadonlyArray<Platform> => {
  const sent: unknown = Reflect.get(body, "platforms")
  return Array.isArray(sent) ? [...new Set(sent.filter((name) => typeof name === "string").filter(isPlatform))] : []
}

const isBlankIssue = ({ code }: Issue): boolean => code === "text_blank"

/** A slot is a time, too. */
const isTimeOfSlot = (body: object, { code }: Issue): boolean => code === "time_missing" && has(body, "schedule")

const readNew = (body: object): Option.Option<Readable<NewPost>> =>
  Option.map(salvageNew(body), ({ leftOut, value: { content: text = "", ...rest } }) => {
    const isTimed = has(body, "schedule_at") || has(body, "schedule")
    return {
      // A time that can't be read means that the post is to be scheduled.
      value: {
        ...rest,
        content: text,
        platforms: knownPlatforms(body),
        ...(rest.status === undefined && isTimed && { status: "scheduled" as const })
      },
      isKept: (issue) =>
        !isWithin(issue, leftOut) &&
        !isTimeOfSlot(body, issue) &&
        // `findBlanks` reads blank texts from the body itself.
        !(isBlankIssue(issue) && issue.path.at(-1) === "content") &&
        !(issue.code === "platform_foreign" && !isWholeList(Reflect.get(body, "platforms")))
    }
  })

const readChange = (body: object): Option.Option<Readable<PostPatch>> =>
  Option.map(salvageChange(body), ({ leftOut, value }) => ({
    value,
    isKept: (issue) =>
      !isWithin(issue, leftOut) &&
      !isTimeOfSlot(body, issue) &&
      !(isBlankIssue(issue) && isWithin({ path: ["media"] }, leftOut))
  }))

/** A body's texts. Settings and parts that do not fit their schemas are left out. None without a text and platforms. */
export const decodePostTexts = (body: unknown): Option.Option<PostTexts> => {
  if (!Predicate.isObject(body) || !isWholeList(Reflect.get(body, "platforms"))) return Option.none()
  return Option.flatMap(salvageNew(body), ({ leftOut, value: { content: text = "", ...rest } }) =>
    ["content", "platform_overrides", "media", "group_id"].some((member) => leftOut.some(([first]) => first === member))
      ? Option.none()
      : Option.some({ ...rest, content: text, platforms: knownPlatforms(body) })
  )
}

const readText = Schema.decodeUnknownOption(
  Schema.Struct({ content: Schema.String, media: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Unknown))) })
)

/** A text that can't be read counts as not blank. */
const readable = (value: unknown) =>
  Option.match(readText(value), {
    onNone: () => ({ content: "unreadable", media: [] }),
    onSome: ({ content: text, media }) => ({ content: text, media: media ?? [] })
  })

const findBlanks = (body: object): ReadonlyArray<Issue> => {
  const thread: unknown = Reflect.get(body, "thread")
  return findBlankTexts({ ...readable(body), thread: Array.isArray(thread) ? thread.map(readable) : [] })
}

const listFurther = <A, E, R>(readableBody: Option.Option<Readable<A>>, find: Find<A, E, R>) =>
  Option.match(readableBody, {
    onNone: () => Effect.succeed<ReadonlyArray<Issue>>([]),
    onSome: ({ isKept, value }) => Effect.map(find(value), (issues) => issues.filter(isKept))
  })

/**
 * The issues of a body that does not fit its schema, together with those of the rest, which `find` returns. So a wrong
 * field hides no other one.
 */
export const listPostIssues = <E, R>(error: Schema.SchemaError, body: unknown, find: Find<NewPost, E, R>) =>
  Predicate.isObject(body)
    ? Effect.map(listFurther(readNew(body), find), (further) => [
        ...listIssues(error, body),
        ...findBlanks(body),
        ...further
      ])
    : Effect.succeed(listIssues(error, body))

/** As `listPostIssues`, of a change. */
export const listChangeIssues = <E, R>(error: Schema.SchemaError, body: unknown, find: Find<PostPatch, E, R>) =>
  Effect.map(Predicate.isObject(body) ? listFurther(readChange(body), find) : Effect.succeed([]), (further) => [
    ...listIssues(error, body),
    ...further
  ])
