import { Option, Predicate, Schema, type SchemaAST, Struct } from "effect"
import { Platform } from "./platform.ts"
import * as sample from "./samples.ts"

const facts = {
  platform: Platform.annotateKey({ description: "The platform that the issue is about." }),
  limit: Schema.Int.annotateKey({
    description:
      "The most that is accepted: a count for `too_many`, days for `time_too_far`, the platform's own unit for texts."
  }),
  length: Schema.Int.annotateKey({ description: "The text's length, in the unit of `limit`." }),
  unit: Schema.String.annotateKey({ description: "The unit of `limit` and `length`, such as `graphemes` or `bytes`." }),
  part: Schema.Int.annotateKey({
    description: "The number of the part among those that the platform gets, from 1. Absent without a thread."
  }),
  repeats: Schema.Int.annotateKey({ description: "The number of the earlier part that has the same text." }),
  expected: Schema.String.annotateKey({
    description: "What is accepted, for people, as it follows `Expected`: `an email address`."
  }),
  reason: Schema.String.annotateKey({
    description:
      "An explanation for people, which follows the platform's name: `accepts one cashtag, but this text has 2`."
  })
}

export const IssueFacts = Schema.Struct(Struct.map(facts, Schema.optionalKey)).annotate({
  identifier: "IssueFacts",
  description: "The values in an issue's message. The issue's code says which there are.",
  examples: [{ platform: sample.platform, limit: 280, length: 312 }]
})

const code = <const Code extends string>(name: Code, description: string) =>
  Schema.Struct({ code: Schema.Literal(name) }).annotate({ description })

const codeWith = <const Code extends string, Fields extends Schema.Struct.Fields>(
  name: Code,
  description: string,
  fields: Fields
) => Schema.Struct({ code: Schema.Literal(name), facts: Schema.Struct(fields) }).annotate({ description })

const { expected, length, limit, part, platform, reason, repeats, unit } = facts

/** Every code with its facts. A code keeps its meaning for good. The message may be reworded. */
export const IssueMeaning = Schema.Union([
  code("text_blank", "a text is needed, as there are no files"),
  codeWith("text_too_long", "a text is too long for a platform", {
    platform,
    limit,
    length,
    unit: Schema.optionalKey(unit),
    part: Schema.optionalKey(part)
  }),
  codeWith("text_refused", "a platform refuses a text whatever its length", { platform, reason }),
  codeWith("text_unlinked", "a platform makes no link of an address, which only warns", { platform, reason }),
  codeWith("text_repeated", "a platform refuses a part with the text of an earlier one", { platform, part, repeats }),
  codeWith("thread_refused", "a platform without threads needs a text of its own", { platform }),
  codeWith("platform_foreign", "a part of a thread is for a platform that the post is not for", { platform }),
  codeWith("platform_unconnected", "the workspace has no account on the platform", { platform }),
  codeWith("platform_in_review", "the service does not publish to the platform yet", { platform }),
  code("time_missing", "a time is needed"),
  code("time_past", "the time is past"),
  codeWith("time_too_far", "the time is too far ahead", { limit }),
  code("slot_missing", "no slot of the queue is free for the post"),
  codeWith("too_many", "a list is too long", { limit }),
  codeWith("too_long", "a value is longer than is accepted anywhere, counted in UTF-16 code units", { limit }),
  codeWith("too_short", "a value is empty or too short, counted in UTF-16 code units", { limit }),
  code("text_broken", "a text has characters that can't be stored"),
  codeWith("malformed", "a value does not have the form that is expected", { expected }),
  code("file_processing", "a file is still being processed"),
  codeWith("file_refused", "a platform refuses a file", { platform, reason }),
  codeWith("setting_refused", "a platform refuses a setting, alone or with the post's files", { platform, reason }),
  codeWith("file_doubtful", "a platform may refuse a file later, which only warns", { platform, reason }),
  codeWith("file_inconvertible", "a file can't be converted for a platform", { platform }),
  codeWith("alt_too_long", "an alternative text is too long for a platform", { platform, limit, length })
])
export type IssueMeaning = typeof IssueMeaning.Type

const names = IssueMeaning.members.map(({ fields }) => fields.code.literal)

const described = IssueMeaning.members
  .map((member) => {
    const of = "facts" in member.fields ? Object.keys(member.fields.facts.fields) : []
    const listed = of.length === 0 ? "" : ` (${of.map((name) => `\`${name}\``).join(", ")})`
    return `\`${member.fields.code.literal}\`${listed}: ${Schema.resolveAnnotations(member)?.description}.`
  })
  .join(" ")

export const IssueCode = Schema.Literals(names).annotate({
  description: `The kind of issue, for programs to act on, with the facts that it has. ${described} Later versions may add codes.`
})

const annotation = "issueMeaning"

export const withMeaning = (meaning: IssueMeaning) => ({ [annotation]: meaning })

export const isMaxItems = (count: number) =>
  Schema.isMaxLength(count, withMeaning({ code: "too_many", facts: { limit: count } }))

/** Effect's own checks of a length. */
const LengthCheck = Schema.Union([
  Schema.Struct({
    id: Schema.Literal("effect/schema/isMaxLength"),
    payload: Schema.Struct({ maxLength: Schema.Int })
  }),
  Schema.Struct({
    id: Schema.Literal("effect/schema/isMinLength"),
    payload: Schema.Struct({ minLength: Schema.Int })
  })
])
const decodeLengthCheck = Schema.decodeUnknownOption(LengthCheck)

/** The meaning of a check that names none: a length that is exceeded or not reached, or what it expects. */
export const meaningOfCheck = ({ annotations }: SchemaAST.Filter<unknown>): IssueMeaning | undefined => {
  const check = Option.getOrUndefined(decodeLengthCheck(annotations?.["representation"]))
  if (check?.id === "effect/schema/isMaxLength") {
    return { code: "too_long", facts: { limit: check.payload.maxLength } }
  }
  if (check !== undefined) return { code: "too_short", facts: { limit: check.payload.minLength } }
  const wanted = annotations?.["expected"]
  return Predicate.isString(wanted) ? { code: "malformed", facts: { expected: wanted } } : undefined
}

const decodeMeaning = Schema.decodeUnknownOption(IssueMeaning)

export const meaningOf = (annotations: Schema.Annotations.Annotations | undefined): IssueMeaning | undefined =>
  Option.getOrUndefined(decodeMeaning(annotations?.[annotation]))
