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

/** Keeps the response to a body full of mistakes from being many times the size of the body. */
const maxIssues = 100
const maxIssuesInSummary = 10

/** The fields that do not fit their schema, with the path from the root of what was decoded. */
export const listIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  format(error.issue).issues.slice(0, maxIssues).map(toIssue)

/** The issues in one line. */
export const summarize = (issues: ReadonlyArray<Issue>): string => {
  const lines = issues.slice(0, maxIssuesInSummary).map((issue) => formatIssue(issue))
  const omitted = issues.length - lines.length
  return [...lines, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join("; ")
}
