import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Call } from "../call.ts"
import type { TwitterConfig } from "./config.ts"
import type { Trial } from "../Connection.ts"
import { makeTwitterApi } from "./api.ts"
import { missingScopes } from "./tokens.ts"

/** X's prices as of November 2026: $0.015 a post, $0.005 a post that is read. */
export const makeTwitterTrial = (config: TwitterConfig, call: Call): Trial => {
  const api = makeTwitterApi(config, call)
  return {
    seenBy: "Followers may see them for some seconds",
    price: "$0.04",
    remove: ({ platformPostId }, account) =>
      api.send(account, HttpClientRequest.delete(`${config.apiUrl}/2/tweets/${platformPostId}`)).pipe(
        Effect.map(({ status }) => status === 200),
        Effect.orElseSucceed(() => false)
      ),
    missingScopes
  }
}
