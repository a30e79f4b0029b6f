import { DateTime, Effect, Result } from "effect"
import type { Call } from "../call.ts"
import type { Trial } from "../Connection.ts"
import { makeMetaApi } from "../meta/api.ts"
import { makeTimeline } from "../meta/timeline.ts"
import type { InstagramConfig } from "./config.ts"
import { readAccess } from "./credentials.ts"
import { instagramDialect } from "./dialect.ts"
import { pageScopes } from "./link.ts"
import { makeRequireQuota } from "./quota.ts"

/** Publishes nothing: each post on Instagram has a file, and no request deletes a post. */
export const makeInstagramTrial = (config: InstagramConfig, call: Call): Trial => {
  const dialect = instagramDialect(config)
  const api = makeMetaApi(dialect, call)
  const requireQuota = makeRequireQuota(api)
  const listPosts = makeTimeline(dialect, api)
  return {
    seenBy: "Nobody sees anything of it",
    price: null,
    rehearse: Effect.fnUntraced(function* (account) {
      yield* requireQuota(account)
      const now = yield* DateTime.now
      yield* Effect.forEach(dialect.paths.lists(account), (path) => listPosts(account, path, now), { discard: true })
    }),
    remove: () => Effect.succeed(false),
    missingScopes: (credentials) =>
      Effect.succeed(
        Result.match(readAccess(credentials), {
          onFailure: () => [],
          onSuccess: ({ scopes = pageScopes }) => pageScopes.filter((scope) => !scopes.includes(scope))
        })
      ),
    openQuestions: [
      {
        question: "What does a second media_publish of one container do? Try it with a story, which is gone in a day",
        changes: "if it makes one post, a finished container could be published again, and no post would wait for a day"
      },
      {
        question: "Does Meta fetch files from PUBLIC_URL? Publish a story with a picture",
        changes: "nothing in the service; a firewall or proxy may keep Meta out"
      },
      {
        question: "Is quota_total 50 or 100, and do stories count? Read content_publishing_limit after a story",
        changes: "nothing, because the account's own number is read"
      }
    ]
  }
}
