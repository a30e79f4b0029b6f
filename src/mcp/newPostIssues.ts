import { Effect, type Schema } from "effect"
import { TwitterAccess } from "../domain/posts/text/twitterAccess.ts"
import { listPostIssues } from "../http/postIssues.ts"

/** What is wrong with a post to create, at once: the API lists what does not fit and what else it would refuse. */
export const newPostIssues = (error: Schema.SchemaError, args: unknown) =>
  Effect.map(TwitterAccess, (access) => listPostIssues(error, args, access))
