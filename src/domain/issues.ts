import { type Schema, SchemaIssue } from "effect"
import type { Issue } from "./issue.ts"
import { type IssueMeaning, meaningOf, meaningOfCheck } from "./issueCodes.ts"

type Formatter = ReturnType<typeof SchemaIssue.makeFormatterStandardSchemaV1>
type StandardIssue = ReturnType<Formatter>["issues"][number]

/**
 * The codes of a schema error's issues, in the formatter's order. An outer check's code also applies to inner issues.
 * @param check The meaning of the innermost check, for an issue to which no code applies.
 */
const listMeanings = (
  issue: SchemaIssue.Issue,
  outer?: IssueMeaning,
  check?: IssueMeaning
): ReadonlyArray<IssueMeaning | undefined> => {
  switch (issue._tag) {
    case "Filter": {
      const { annotations } = issue.filter
      return listMeanings(issue.issue, outer ?? meaningOf(annotations), meaningOfCheck(issue.filter))
    }
    case "Encoding":
    case "Pointer":
      return listMeanings(issue.issue, outer, check)
    case "Composite":
    case "AnyOf":
      return issue.issues.length === 0
        ? [outer ?? check]
        : issue.issues.flatMap((each) => listMeanings(each, outer, check))
    case "InvalidValue":
      return [outer ?? meaningOf(issue.annotations) ?? check]
    default:
      return [outer]
  }
}

const toPath = (path: StandardIssue["path"] = []): Issue["path"] =>
  path.map((segment) => {
    const key = typeof segment === "object" ? segment.key : segment
    return typeof key === "number" ? key : String(key)
  })

/** With at most `left` issues, because formatting many takes long. The rest are left out, so that the first remain. */
const keepFirst = (issue: SchemaIssue.Issue, left: { count: number }): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Composite": {
      const [first, ...others] = issue.issues
      return new SchemaIssue.Composite(issue.ast, [keepFirst(first, left), ...keepSome(others, left)])
    }
    case "AnyOf":
      // Without issues of its members it is one itself.
      left.count -= issue.issues.length === 0 ? 1 : 0
      return new SchemaIssue.AnyOf(issue.ast, keepSome(issue.issues, left))
    case "Pointer":
      return new SchemaIssue.Pointer(issue.path, keepFirst(issue.issue, left))
    case "Filter":
      return new SchemaIssue.Filter(issue.filter, keepFirst(issue.issue, left))
    case "Encoding":
      return new SchemaIssue.Encoding(issue.ast, keepFirst(issue.issue, left))
    default:
      left.count--
      return issue
  }
}

const keepSome = (issues: ReadonlyArray<SchemaIssue.Issue>, left: { count: number }) => {
  const kept: Array<SchemaIssue.Issue> = []
  for (const issue of issues) {
    if (left.count <= 0) break
    kept.push(keepFirst(issue, left))
  }
  return kept
}

/** At most `most` issues of a schema error, with the formatter's messages and paths of plain strings and numbers. */
export const formattedIssues = (all: SchemaIssue.Issue, format: Formatter, most = Infinity): ReadonlyArray<Issue> => {
  const issues = most === Infinity ? all : keepFirst(all, { count: most })
  const meanings = listMeanings(issues)
  return format(issues).issues.map(({ message, path }, index): Issue => {
    const issue = { path: toPath(path), message }
    const meaning = meanings[index]
    return meaning === undefined ? issue : { ...issue, ...meaning }
  })
}

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** Every field that does not fit its schema, with its path from the root of the decoded value. */
export const schemaIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> => formattedIssues(error.issue, standard)

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
