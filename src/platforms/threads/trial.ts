import { Effect } from "effect"
import type { Call } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import type { Trial } from "../Connection.ts"
import { deletion, makeMetaApi } from "../meta/api.ts"
import { threadsDialect } from "./dialect.ts"
import { missingScopes } from "./scopes.ts"

export const makeThreadsTrial = (config: ThreadsConfig, call: Call): Trial => {
  const dialect = threadsDialect(config)
  const { ask } = makeMetaApi(dialect, call)
  return {
    seenBy: "Followers may see them for some seconds",
    price: null,
    openQuestions: [
      {
        question: "Does a second publication of one container make a second post? Publish one twice, then delete it",
        changes:
          "If it makes one post, a container whose publication is in doubt is published again, and waits for no day"
      },
      {
        question: "How long is a container PUBLISHED? Read its state 1 second, 10 seconds, 1 hour and 25 hours later",
        changes: "the time from which an unreadable container is looked for in the lists"
      },
      {
        question: "How late do /me/threads and /me/replies list a post? Publish one, and list until it is there",
        changes: "the pause before an address is looked for"
      },
      {
        question: "Are 500 characters of Chinese accepted, and is the text as it was sent? Post one, and read it",
        changes: "if characters count, the limit rises to 500 characters"
      },
      {
        question: "Which error ends access? Withdraw the app's access in the settings of Threads, and renew",
        changes: "which answers ask for a new connection"
      }
    ],
    // Replies need the id that Threads gave the post, and so does a deletion.
    remove: ({ cid = null }, account) =>
      cid === null
        ? Effect.succeed(false)
        : ask(account, deletion(cid)).pipe(
            Effect.map(({ status }) => status === 200),
            Effect.orElseSucceed(() => false)
          ),
    missingScopes: (credentials) => missingScopes(config, call, credentials)
  }
}
