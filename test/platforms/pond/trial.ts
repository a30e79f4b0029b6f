import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Call } from "../../../src/platforms/call.ts"
import { carryOut } from "../../../src/platforms/carryOut.ts"
import { end } from "../../../src/platforms/steps.ts"
import type { Trial } from "../../../src/platforms/Connection.ts"
import { authorized, type PondConfig, renewWith } from "./api.ts"

/** The trial of the pond. */
export const makePondTrial = (config: PondConfig, call: Call): Trial => {
  const means = { calls: { configured: call, guarded: call }, renew: renewWith(config, call) }
  return {
    seenBy: "Frogs may see them for some seconds",
    price: null,
    remove: ({ platformPostId }, account) => {
      const request = HttpClientRequest.delete(`${config.apiUrl}/drops/${platformPostId}`)
      return carryOut(means, account, (access) => authorized(access, request, "nothing", end)).pipe(
        Effect.map(({ status }) => status === 200),
        Effect.orElseSucceed(() => false)
      )
    },
    missingScopes: () => Effect.succeed([])
  }
}
