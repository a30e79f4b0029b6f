import { Effect } from "effect"
import type { Call } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import type { Trial } from "../Connection.ts"
import { deletion, makeMetaApi } from "../meta/api.ts"
import { threadsDialect } from "./dialect.ts"

export const makeThreadsTrial = (config: ThreadsConfig, call: Call): Trial => {
  const dialect = threadsDialect(config)
  const { ask } = makeMetaApi(dialect, call)
  return {
    seenBy: "Followers may see them for some seconds",
    price: null,
    // Replies need the id that Threads gave the post, and so does a deletion.
    remove: ({ cid = null }, account) =>
      cid === null
        ? Effect.succeed(false)
        : ask(account, deletion(dialect, cid)).pipe(
            Effect.map(({ status }) => status === 200),
            Effect.orElseSucceed(() => false)
          ),
    missingScopes: () => Effect.succeed([])
  }
}
