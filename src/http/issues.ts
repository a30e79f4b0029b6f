import { Predicate, type Schema, SchemaAST, SchemaIssue } from "effect"
import type { Issue } from "../domain/errors.ts"
import { formatIssue, formattedIssues } from "../domain/issues.ts"
import { findMeantPlatform } from "../domain/platform.ts"

const memberNames = (ast: SchemaAST.AST): string =>
  SchemaAST.isObjects(ast) ? ast.propertySignatures.map((member) => String(member.name)).join(", ") : ""

const describe: SchemaIssue.LeafHook = (issue) => {
  switch (issue._tag) {
    case "MissingKey":
      return "This member is required"
    case "UnexpectedKey":
      return `Unknown member; the members are ${memberNames(issue.ast)}`
    default:
      return SchemaIssue.defaultLeafHook(issue)
  }
}

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: describe })

/** Without a limit, the response could be many times the size of the wrong body. */
const maxIssues = 100
const maxIssuesInSummary = 10

const valueAt = (root: unknown, path: Issue["path"]): unknown =>
  path.reduce((value, key) => (Predicate.isObjectOrArray(value) ? Reflect.get(value, key) : undefined), root)

/** The platform that an issue is about: a value in `platforms`, or a key of a field such as `platform_settings`. */
const findPlatformName = (path: Issue["path"], body: unknown): unknown => {
  const [member, key] = path
  if (path.length !== 2) return undefined
  return member === "platforms" ? valueAt(body, path) : String(member).startsWith("platform_") ? key : undefined
}

const withPlatformHint = (issue: Issue, body: unknown): Issue => {
  const name = findPlatformName(issue.path, body)
  const meant = Predicate.isString(name) ? findMeantPlatform(name) : undefined
  return meant === undefined ? issue : { ...issue, message: `${issue.message}; did you mean "${meant}"?` }
}

/** Paths begin at the root of the decoded value. Pass it as `body` if it is the body. */
export const listIssues = (error: Schema.SchemaError, body?: unknown): ReadonlyArray<Issue> =>
  formattedIssues(error.issue, format, maxIssues)
    .slice(0, maxIssues)
    .map((issue) => withPlatformHint(issue, body))

export const summarize = (issues: ReadonlyArray<Issue>): string => {
  const lines = issues.slice(0, maxIssuesInSummary).map((issue) => formatIssue(issue))
  const omitted = issues.length - lines.length
  return [...lines, ...(omitted > 0 ? [`and ${omitted} more`] : [])].join("; ")
}
