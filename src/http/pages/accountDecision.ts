import { ByteSize, Effect, Layer, Option, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest } from "effect/http"
import { decideAccountChange } from "../../accounts/decideAccountChange.ts"
import { AccountDecision } from "../../domain/accounts/accountChange.ts"
import { accountName, livePlatforms, unusedAccess } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { ReturnPath } from "../../domain/returnPath.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"
import { alreadyConnectedPage, decisionPath, messagePage, questionPage, tryAgainPage } from "./accountPages.ts"
import {
  checkSession,
  goOnAt,
  keyAuthority,
  LinkLookUp,
  notConnected,
  onPage,
  otherOrigin,
  type SessionToken,
  unavailable
} from "./oauthLinks.ts"

const readDecision = HttpServerRequest.schemaBodyUrlParams(
  Schema.Struct({
    token: Schema.RedactedFromValue(Schema.NonEmptyString),
    replaces: Schema.NonEmptyString,
    decision: AccountDecision,
    return_to: Schema.optionalKey(ReturnPath)
  })
).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(4)))

export const accountDecisionLayer = (baseUrl: string) => {
  const goOn = goOnAt(baseUrl)

  return Layer.unwrap(
    Effect.gen(function* () {
      const sameOrigin = yield* makeSameOrigin
      const cookie = yield* makeSessionCookie
      const lookUp = yield* LinkLookUp

      const decide = Effect.fnUntraced(function* (
        platform: LivePlatform,
        { decision, replaces, return_to: returnTo, token }: Effect.Success<typeof readDecision>,
        session: SessionToken
      ) {
        const decided = yield* decideAccountChange(token, decision, replaces, {
          session,
          authorize: (change) =>
            change.isBegunInSession
              ? Effect.map(checkSession(change, session), ({ by }) => by)
              : Effect.succeed(keyAuthority(change))
        })
        return Option.map(decided, (replacement) => {
          if (replacement === null) {
            const message = `${unusedAccess(platform)} You can close this window.`
            return returnTo === undefined
              ? messagePage(200, "Nothing was changed", message)
              : goOn(returnTo, ["error", "canceled"])
          }
          const { integration, unchanged } = replacement
          const name = accountName(platform, integration.username)
          if (unchanged !== null) return alreadyConnectedPage(name, decision === "drafts", unchanged)
          return returnTo === undefined
            ? messagePage(200, "Connected", `Posts now go out as ${name}. You can close this window.`)
            : goOn(returnTo, ["connected", integration.platform])
        })
      })

      const decisionOn = (platform: LivePlatform) =>
        Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
          if (!(yield* sameOrigin.isOwn)) return otherOrigin
          const read = yield* Effect.option(readDecision)
          if (Option.isNone(read)) return notConnected("The form was not complete. Begin again.")
          const { replaces, return_to: returnTo = null, token } = read.value
          return yield* lookUp(request, decide(platform, read.value, cookie.read(request))).pipe(
            // Not interruptible, so that unneeded access is revoked even if the client has left.
            Effect.uninterruptible,
            Effect.catchTags({
              AnotherAccountConnected: (another) => Effect.succeed(questionPage(another, { token, returnTo })),
              OutcomePending: (pending) => Effect.succeed(tryAgainPage(pending, { token, replaces, returnTo })),
              DatabaseUnavailable: () =>
                Effect.succeed(
                  unavailable(
                    "The service can't reach its database, or took too long. Go back, and try again in a moment."
                  )
                )
            }),
            onPage
          )
        })

      return HttpRouter.addAll(
        livePlatforms.map((platform) => HttpRouter.route("POST", decisionPath(platform), decisionOn(platform)))
      )
    })
  ).pipe(Layer.provide([Layer.succeed(BaseUrl, baseUrl), LinkLookUp.layer]))
}
