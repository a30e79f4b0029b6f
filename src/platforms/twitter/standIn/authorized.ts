import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { SandboxAccount } from "../../../sandbox/state/entry.ts"
import type { Store } from "../../../sandbox/state/store.ts"
import { bearerToken, type StandInRequest } from "../../../sandbox/standInRoute.ts"
import { twitterError } from "./responses.ts"

export const authorized = (
  store: Store,
  request: StandInRequest,
  then: (account: SandboxAccount) => Effect.Effect<HttpServerResponse.HttpServerResponse>
) =>
  Effect.flatMap(
    store.read((state, now) => state.accountByToken("twitter", bearerToken(request) ?? "", now)),
    (account) =>
      account === undefined || account === "expired"
        ? Effect.succeed(HttpServerResponse.setHeader(twitterError(401), "www-authenticate", "Bearer"))
        : then(account)
  )
