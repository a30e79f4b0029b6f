import { Option, Schema } from "effect"
import { ContentTooLong, WordedIssue } from "../domain/errors.ts"
import { formatLengthViolation } from "../domain/posts/postTexts.ts"
import type { Outcome } from "./AgentRequest.ts"

export interface ToolError {
  readonly code: string
  readonly detail: string
  readonly errors: ReadonlyArray<WordedIssue>
  readonly request_id: string
  readonly retry_after_seconds?: number
}

const Problem = Schema.Struct({
  code: Schema.String,
  detail: Schema.String,
  request_id: Schema.String,
  errors: Schema.optionalKey(Schema.Array(WordedIssue)),
  platforms: Schema.optionalKey(Schema.Array(Schema.String)),
  violations: Schema.optionalKey(ContentTooLong.fields.violations)
})

const decodeProblem = Schema.decodeUnknownOption(Problem)

const listIssues = ({ errors, platforms, violations }: typeof Problem.Type): ReadonlyArray<WordedIssue> => {
  if (errors !== undefined) return errors
  if (violations !== undefined) {
    return violations.map((violation) => ({
      path: violation.part === undefined ? [violation.platform] : [violation.platform, violation.part],
      message: formatLengthViolation(violation)
    }))
  }
  return (platforms ?? []).map((platform) => ({ path: ["platforms"], message: platform }))
}

const retryAfter = (outcome: Outcome | undefined) => {
  const seconds = Number(outcome?.headers["retry-after"])
  return Number.isFinite(seconds) ? { retry_after_seconds: seconds } : {}
}

/** None if the failure is not one of the API's problems. */
export const problemError = (failure: unknown, outcome: Outcome | undefined): Option.Option<ToolError> =>
  Option.map(decodeProblem(failure), (problem): ToolError => ({
    code: problem.code,
    detail: problem.detail,
    errors: listIssues(problem),
    request_id: problem.request_id,
    ...retryAfter(outcome)
  }))
