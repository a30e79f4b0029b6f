import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Call } from "../call.ts"
import type { LinkedinConfig } from "./config.ts"
import type { Trial } from "../Connection.ts"
import { makeLinkedinApi } from "./api.ts"
import { decodeAccess } from "./credentials.ts"
import { scopes } from "./link.ts"

const needed = Object.values(scopes).map((each) => each.split(" "))

export const makeLinkedinTrial = (config: LinkedinConfig, call: Call): Trial => {
  const api = makeLinkedinApi(config, call)
  return {
    seenBy: "Followers and connections may see them for some seconds",
    price: null,
    remove: ({ platformPostId }, account) =>
      api
        .sendIdly(
          account,
          HttpClientRequest.delete(`${config.apiUrl}/rest/posts/${encodeURIComponent(platformPostId ?? "")}`)
        )
        .pipe(
          Effect.map(({ status }) => status === 204),
          Effect.orElseSucceed(() => false)
        ),
    missingScopes: (credentials) =>
      Effect.match(decodeAccess(credentials), {
        onFailure: () => [],
        onSuccess: ({ scope = "" }) => {
          const granted = scope.split(" ")
          // The scopes that the access shares most with are those of its application.
          const lacking = needed.map((wanted) => wanted.filter((each) => !granted.includes(each)))
          return lacking.toSorted((one, other) => one.length - other.length)[0] ?? []
        }
      })
  }
}
