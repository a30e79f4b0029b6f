import { Effect, type Schema } from "effect"
import { listPostIssues } from "../http/postIssues.ts"
import { CurrentRules } from "../platforms/rules.ts"

/** What is wrong with a post to create, at once: the API lists what does not fit and what else it would refuse. */
export const newPostIssues = (error: Schema.SchemaError, args: unknown) =>
  Effect.map(CurrentRules, (rules) => listPostIssues(rules, error, args))
