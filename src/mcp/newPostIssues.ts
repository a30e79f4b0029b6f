import { Effect, type Schema } from "effect"
import { listPostIssues } from "../http/postIssues.ts"
import { CurrentRules } from "../platforms/rules.ts"

/** All issues of a post to create together: invalid members, and the API's other refusals. */
export const newPostIssues = (error: Schema.SchemaError, args: unknown) =>
  Effect.map(CurrentRules, (rules) => listPostIssues(rules, error, args))
