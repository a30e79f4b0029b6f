import { Effect, type Schema } from "effect"
import { listPostIssues } from "../http/postIssues.ts"
import { CurrentRules } from "../platforms/rules.ts"

/** Invalid members, and the API's other refusals, together. */
export const newPostIssues = (error: Schema.SchemaError, args: unknown) =>
  Effect.map(CurrentRules, (rules) => listPostIssues(rules, error, args))
