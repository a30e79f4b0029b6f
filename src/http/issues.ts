import { type Schema, SchemaAST, SchemaIssue } from "effect"
import type { Issue } from "../domain/errors.ts"
import { formatIssue, toIssue } from "../domain/issues.ts"

const memberNames = (ast: SchemaAST.AST): string =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map((member) => String(member.name)).join(", ") : ""

const describe: SchemaIssue.LeafHook = (issue) => {
  switch (issue._tag) {
    case "MissingKey":
      return "This member is required"
    case "UnexpectedKey":
      return `Unknown member; there are ${memberNames(issue.ast)}`
    default:
      return SchemaIssue.defaultLeafHook(issue)
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: describe })

/** More than a person reads; a body of nothing but mistakes is not answered with one many times its size. */
const mostIssues = 100
const mostInOneLine = 10

/** The fields that do not fit their schema, with the path from the root of what was decoded. */
export const issuesOf = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  format(error.issue).issues.slice(0, mostIssues).map(toIssue)

/** The issues as one line. */
export const summarize = (issues: ReadonlyArray<Issue>): string => {
  const told = issues.slice(0, mostInOneLine)
  const rest = issues.length > told.length ? [`and ${issues.length - told.length} more`] : []
  return [...told.map((issue) => formatIssue(issue)), ...rest].join("; ")
}
