import { type Schema, SchemaIssue } from "effect"
import type { Issue } from "./issue.ts"
import { type IssueMeaning, meaningOf } from "./issueCodes.ts"

type Formatter = ReturnType<typeof SchemaIssue.makeFormatterStandardSchemaV1>
type StandardIssue = ReturnType<Formatter>["issues"][number]

/**
 * The codes of a schema error's issues, in the formatter's order. An outer check's code also applies to inner issues.
 */
const listMeanings = (issue: SchemaIssue.Issue, outer?: IssueMeaning): ReadonlyArray<IssueMeaning | undefined> => {
  switch (issue._tag) {
    case "Filter":
      return listMeanings(issue.issue, outer ?? meaningOf(issue.filter.annotations))
    case "Encoding":
    case "Pointer":
      return listMeanings(issue.issue, outer)
    case "Composite":
    case "AnyOf":
      return issue.issues.length === 0 ? [outer] : issue.issues.flatMap((each) => listMeanings(each, outer))
    case "InvalidValue":
      return [outer ?? meaningOf(issue.annotations)]
    default:
      return [outer]
  }
}

const toPath = (path: StandardIssue["path"] = []): Issue["path"] =>
  path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? key : String(key)
  })

export const formattedIssues = (error: Schema.SchemaError, format: Formatter): ReadonlyArray<Issue> => {
  const meanings = listMeanings(error.issue)
  return format(error.issue).issues.map(({ message, path }, index): Issue => {
    const issue = { path: toPath(path), message }
    const meaning = meanings[index]
    return meaning === undefined ? issue : { ...issue, ...meaning }
  })
}

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

export const schemaIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> => formattedIssues(error, standard)

/** Only the issues' paths, for a log: a message may repeat a post's text. */
export const issuePlaces = (error: Schema.SchemaError): string =>
  schemaIssues(error)
    .map(({ path }) => path.join("."))
    .join(", ")

/** `path.to.field: message`. An issue of the whole value has no path, so `root`, if any, takes its place. */
export const formatIssue = ({ message, path }: Issue, root?: string): string => {
  const place = path.length === 0 ? root : path.join(".")
  return place === undefined ? message : `${place}: ${message}`
}

export const formatIssues = (issues: ReadonlyArray<Issue>, root?: string): string =>
  issues.map((issue) => formatIssue(issue, root)).join("; ")
