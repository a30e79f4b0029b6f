import { Option, Schema } from "effect"
import { WordedIssue } from "../domain/errors.ts"
import type { Outcome } from "./AgentRequest.ts"

/** What a tool that failed says: the members of a problem, by which the next call can be right. */
export interface ToolError {
  readonly code: string
  readonly detail: string
  readonly errors: ReadonlyArray<WordedIssue>
  readonly request_id: string
  readonly retry_after_seconds?: number
}

/** What problems of the contract have, of what a caller can act on. */
const Problem = Schema.Struct({
  code: Schema.String,
  detail: Schema.String,
  request_id: Schema.String,
  errors: Schema.optionalKey(Schema.Array(WordedIssue)),
  platforms: Schema.optionalKey(Schema.Array(Schema.String)),
  violations: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        platform: Schema.String,
        length: Schema.Int,
        limit: Schema.Int,
        part: Schema.optionalKey(Schema.Int)
      })
    )
  )
})

const decodeProblem = Schema.decodeUnknownOption(Problem)

const listIssues = ({ errors, platforms, violations }: typeof Problem.Type): ReadonlyArray<WordedIssue> => {
  if (errors !== undefined) return errors
  if (violations !== undefined) {
    return violations.map(({ length, limit, part, platform }) => ({
      path: part === undefined ? [platform] : [platform, part],
      message: `${platform} takes ${limit}, this is ${length}${part === undefined ? "" : ` in part ${part}`}`
    }))
  }
  return (platforms ?? []).map((platform) => ({ path: ["platforms"], message: platform }))
}

/** How long the response asks to wait. */
const retryAfter = (outcome: Outcome | undefined) => {
  const seconds = Number(outcome?.headers["retry-after"])
  return Number.isFinite(seconds) ? { retry_after_seconds: seconds } : {}
}

/** What a tool says of a problem of the contract; none for what is no problem. */
export const problemError = (failure: unknown, outcome: Outcome | undefined): Option.Option<ToolError> =>
  Option.map(decodeProblem(failure), (problem): ToolError => ({
    code: problem.code,
    detail: problem.detail,
    errors: listIssues(problem),
    request_id: problem.request_id,
    ...retryAfter(outcome)
  }))
