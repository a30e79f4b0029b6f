import { type Schema, SchemaAST, SchemaIssue } from "effect"
import type { Issue } from "../domain/errors.ts"

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

const pathSegment = (part: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof part === "object" ? part.key : part
  return typeof key === "number" ? key : String(key)
}

/** Keeps the response to a body full of mistakes from being many times the size of the body. */
const maxIssues = 100
const maxIssuesInSummary = 10

/** The fields that do not fit their schema, with the path from the root of what was decoded. */
export const listIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  format(error.issue)
    .issues.slice(0, maxIssues)
    .map(({ path, message }) => ({ path: (path ?? []).map(pathSegment), message }))

/** The issues in one line. */
export const summarize = (issues: ReadonlyArray<Issue>): string => {
  const lines = issues
    .slice(0, maxIssuesInSummary)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`))
  const omitted = issues.length - lines.length
  return [...lines, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join("; ")
}
