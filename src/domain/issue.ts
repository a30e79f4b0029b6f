import { Schema, SchemaTransformation, Tuple } from "effect"
import { IssueCode, IssueFacts, IssueMeaning } from "./issueCodes.ts"

const description = "One invalid value in a request."
const example = { path: ["content"], message: "Expected a text that is not blank" }

/** An issue without its code, for readers of messages, such as agents. */
export const WordedIssue = Schema.Struct({
  path: Schema.Array(Schema.Union([Schema.String, Schema.Int])).annotateKey({
    description: "The location: member names and list indexes from the root of the body, or a parameter's name."
  }),
  message: Schema.String.annotateKey({ description: "What is wrong there, and often what to do." })
}).annotate({ identifier: "Issue", description, examples: [example] })
export type WordedIssue = typeof WordedIssue.Type

const place = WordedIssue.fields

/** One object type for all codes, so that clients need not handle a union. */
const IssueJson = Schema.Struct({
  ...place,
  code: Schema.optionalKey(IssueCode),
  facts: Schema.optionalKey(IssueFacts)
}).annotate({
  identifier: "Issue",
  description,
  examples: [{ ...example, code: "text_blank" }]
})

/** Each code has exactly its own facts. */
export const Issue = IssueJson.pipe(
  Schema.decodeTo(
    Schema.Union([
      ...IssueMeaning.mapMembers(Tuple.map(Schema.fieldsAssign(place))).members,
      Schema.Struct({ ...place, code: Schema.optionalKey(Schema.Never), facts: Schema.optionalKey(Schema.Never) })
    ]),
    SchemaTransformation.passthroughSupertype()
  )
)
export type Issue = typeof Issue.Type
