import { Effect, Option, type Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { type Call, readResponse } from "../call.ts"
import type { ThreadsConfig } from "./config.ts"
import { tokens } from "./tokens.ts"

/** Only a trial deletes posts. */
const trialScope = "threads_delete"

/** A thread is a chain of replies, and replies have scopes of their own. */
const publishingScopes = ["threads_basic", "threads_content_publish", "threads_manage_replies", "threads_read_replies"]

export const requestedScopes = [...publishingScopes, trialScope]

const readGrant = readResponse(Schema.Struct({ data: Schema.Struct({ scopes: Schema.Array(Schema.String) }) }))

/** The requested scopes that the person did not allow. Empty if Threads does not say. */
export const missingScopes = Effect.fnUntraced(
  function* ({ apiUrl }: Pick<ThreadsConfig, "apiUrl">, call: Call, credentials: Redacted.Redacted) {
    const { accessToken } = yield* tokens.decodeTokens(credentials)
    const response = yield* call(
      HttpClientRequest.get(`${apiUrl}/v1.0/debug_token`, {
        acceptJson: true,
        urlParams: { input_token: accessToken, access_token: accessToken }
      })
    )
    const granted = response.status === 200 ? readGrant(response) : Option.none()
    return Option.match(granted, {
      onNone: () => [],
      onSome: ({ data: { scopes } }) => requestedScopes.filter((scope) => !scopes.includes(scope))
    })
  },
  // The token is in the URL, which a trace would have.
  Effect.withTracerEnabled(false),
  Effect.orElseSucceed((): ReadonlyArray<string> => [])
)

/** As `missingScopes`, without the scope that only a trial needs. */
export const missingToPublish = (missing: ReadonlyArray<string>): ReadonlyArray<string> =>
  missing.filter((scope) => scope !== trialScope)
