import { type Schema, SchemaIssue } from "effect"
import type { Issue } from "./errors.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

type StandardIssue = ReturnType<typeof format>["issues"][number]

/** An issue of the Standard Schema interface, with its path as plain strings and numbers. */
export const toIssue = ({ message, path = [] }: StandardIssue): Issue => ({
  path: path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? key : String(key)
  }),
  message
})

/** Every field that does not fit its schema, with its path from the root of what was decoded. */
export const schemaIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> => format(error.issue).issues.map(toIssue)

/** The paths of the issues alone, for a log: a message may repeat a post's text. */
export const issuePlaces = (error: Schema.SchemaError): string =>
  schemaIssues(error)
    .map(({ path }) => path.join("."))
    .join(", ")

/** `path.to.field: message`. An issue of the whole value has no path: it is its message alone, or begins with `root`. */
export const formatIssue = ({ message, path }: Issue, root?: string): string => {
  const place = path.length === 0 ? root : path.join(".")
  return place === undefined ? message : `${place}: ${message}`
}

/** All issues on one line. */
export const formatIssues = (issues: ReadonlyArray<Issue>, root?: string): string =>
  issues.map((issue) => formatIssue(issue, root)).join("; ")
