import { ByteSize, type Duration, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { AccountDecision, decideAccountChange } from "../../accounts/decideAccountChange.ts"
import { AccountLinking, twitterCallbackPath } from "../../platforms/AccountLinking.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { wholeSeconds } from "../responseHeaders.ts"
import { alreadyConnectedPage, decisionPath, messagePage, questionPage, tryAgainPage } from "./accountPages.ts"

/** Unknown states and tokens from one address; each is a write to the database. */
const maxUnknownPerMinute = 30

const notConnected = (message: string) => messagePage(400, "Not connected", message)

const expired = notConnected(
  "This link was used already, or it is too old. Begin again with: integration connect twitter"
)

const unavailable = (message: string) => messagePage(503, "Not connected", message)

const throttled = (wait: Duration.Duration) =>
  HttpServerResponse.setHeader(
    messagePage(429, "Too many attempts", "Too many links that do not work came from this address. Wait a minute."),
    "retry-after",
    wholeSeconds(wait)
  )

const finish = Effect.fnUntraced(function* (grant: {
  readonly code: string
  readonly verifier: Redacted.Redacted
  readonly workspaceId: Parameters<Repo["Service"]["integrations"]["connect"]>[0]
}) {
  const { accountChanges, integrations } = yield* Repo
  const { workspaceId } = grant
  const account = { platform: "twitter" as const, ...(yield* (yield* AccountLinking).finishTwitterLink(grant)) }
  return yield* integrations.connect(workspaceId, account).pipe(
    Effect.as(
      messagePage(200, "Connected", `Posts can now go out as @${account.username}. You can close this window.`)
    ),
    Effect.catchTag("AnotherAccountConnected", (another) =>
      Effect.map(accountChanges.keep({ workspaceId, account }), (token) => questionPage(another, token))
    )
  )
})

const readDecision = HttpServerRequest.schemaBodyUrlParams(
  Schema.Struct({
    token: Schema.RedactedFromValue(Schema.NonEmptyString),
    replaces: Schema.NonEmptyString,
    decision: AccountDecision
  })
).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(4)))

/** Carries out what a person chose on the page. */
const decide = Effect.fnUntraced(function* ({ decision, replaces, token }: Effect.Success<typeof readDecision>) {
  const decided = yield* decideAccountChange(token, decision, replaces)
  return Option.map(decided, (replacement) => {
    if (replacement === null) {
      return messagePage(200, "Nothing was changed", "The access that you gave was ended. You can close this window.")
    }
    const { integration, unchanged } = replacement
    return unchanged === null
      ? messagePage(200, "Connected", `Posts now go out as @${integration.username}. You can close this window.`)
      : alreadyConnectedPage(integration.username, decision === "drafts", unchanged)
  })
})

type Page = HttpServerResponse.HttpServerResponse

/**
 * The OAuth redirect URI, to which X sends a person back after they agreed or declined, and the decision where they agreed
 * as another account than the connected one. `baseUrl` is the service's address for browsers.
 */
export const twitterCallbackLayer = (baseUrl: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const sameOrigin = yield* makeSameOrigin
      const unknownAttempts = makeAddressLimit({ perMinute: maxUnknownPerMinute })

      /** Looks up a state or token, unless too many unknown ones came from the address. One that is unknown is counted. */
      const lookUp = Effect.fnUntraced(function* <E extends { readonly _tag: string }, R>(
        request: HttpServerRequest.HttpServerRequest,
        find: Effect.Effect<Option.Option<Page>, E, R>
      ) {
        const wait = yield* unknownAttempts.wait(request)
        if (Option.isSome(wait)) return throttled(wait.value)
        // Counted before the look-up and refunded after it, because many may arrive at once.
        const refund = yield* unknownAttempts.reserve(request)
        const found = yield* Effect.tapError(find, () => refund)
        if (Option.isNone(found)) return expired
        yield* refund
        return found.value
      })

      const callback = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { oauthStates } = yield* Repo
        const { searchParams: query } = new URL(request.url, "http://service.invalid")
        const code = query.get("code")
        const state = query.get("state")
        if (query.has("error")) return notConnected("X did not give access: the request was declined.")
        if (code === null || state === null) return notConnected("X did not send what is needed. Begin again.")
        const linked = Effect.flatMap(oauthStates.take(state), (taken) =>
          Option.isNone(taken) ? Effect.succeedNone : Effect.asSome(finish({ code, ...taken.value }))
        )
        return yield* lookUp(request, linked).pipe(
          Effect.catchTags({
            DatabaseUnavailable: () =>
              Effect.succeed(unavailable("The service can't reach its database. Begin again in a moment.")),
            CredentialsUnreadable: () => Effect.succeed(expired)
          }),
          Effect.catch(({ message }) => Effect.succeed(notConnected(message)))
        )
      })

      const decision = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!(yield* sameOrigin.isOwn)) {
          return messagePage(403, "Not accepted", "This has to be sent from the service's own page.")
        }
        const read = yield* Effect.option(readDecision)
        if (Option.isNone(read)) return notConnected("The form was not complete. Begin again.")
        const { replaces, token } = read.value
        return yield* lookUp(request, decide(read.value)).pipe(
          Effect.catchTags({
            AnotherAccountConnected: (another) => Effect.succeed(questionPage(another, token)),
            OutcomePending: (pending) => Effect.succeed(tryAgainPage(pending, { token, replaces })),
            DatabaseUnavailable: () =>
              Effect.succeed(
                unavailable(
                  "The service can't reach its database, or took too long. Go back, and try again in a moment."
                )
              ),
            CredentialsUnreadable: () => Effect.succeed(expired),
            NotFound: ({ message }) => Effect.succeed(notConnected(message))
          })
        )
      })

      return Layer.merge(
        HttpRouter.add("GET", twitterCallbackPath, callback),
        HttpRouter.add("POST", decisionPath, decision)
      )
    })
  ).pipe(Layer.provide(Layer.succeed(BaseUrl, baseUrl)))
