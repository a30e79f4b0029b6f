import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { BlueskyConfig } from "./config.ts"
import type { Trial } from "../Connection.ts"
import { type BlueskyCalls, makeBlueskyApi } from "./api.ts"
import { postCollection } from "./postRecord.ts"
import { procedure } from "./xrpc.ts"

/** An app password covers all that posts need, so no scope can be missing. */
export const makeBlueskyTrial = (config: BlueskyConfig, calls: BlueskyCalls): Trial => {
  const api = makeBlueskyApi(config, calls)
  return {
    seenBy: "Followers may see them for some seconds, and programs that read all new posts may keep copies",
    price: null,
    remove: ({ platformPostId }, account) => {
      const rkey = platformPostId?.split("/").at(-1)
      const deletion = { repo: account.accountId, collection: postCollection, rkey }
      return api
        .send(account, (pdsUrl) =>
          HttpClientRequest.bodyJsonUnsafe(procedure(pdsUrl, "com.atproto.repo.deleteRecord"), deletion)
        )
        .pipe(
          Effect.map(({ status }) => status === 200),
          Effect.orElseSucceed(() => false)
        )
    },
    missingScopes: () => Effect.succeed([])
  }
}
