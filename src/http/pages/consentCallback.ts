import { ByteSize, Effect, Layer, Option, Schema, String } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest } from "effect/http"
import { connectAccount } from "../../accounts/connectAccount.ts"
import { platformName, withArticle } from "../../domain/plain/platforms.ts"
import { AccountLinking, callbackPath } from "../../platforms/AccountLinking.ts"
import { type ConsentPlatform, consentPlatforms } from "../../platforms/links.ts"
import type { BegunOAuthState } from "../../repo/integrations/oauthStates.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"
import { confirmationPage, confirmationPath, messagePage, questionPage } from "./accountPages.ts"
import {
  checkSession,
  errorPage,
  goOnAt,
  keyAuthority,
  LinkLookUp,
  notConnected,
  onPage,
  otherOrigin,
  otherSession,
  type SessionToken
} from "./oauthLinks.ts"

type Grant = Parameters<AccountLinking["Service"]["finish"]>[1]
type Completing = Parameters<typeof connectAccount>[2]

/**
 * Can't be interrupted: if the client left in between, access that the platform has granted would stay valid but
 * unknown.
 */
const finish = Effect.fnUntraced(function* (
  platform: ConsentPlatform,
  { returnTo, workspaceId }: Pick<BegunOAuthState, "workspaceId" | "returnTo">,
  grant: Grant,
  completing: Completing
) {
  const linked = yield* (yield* AccountLinking).finish(platform, grant)
  const connected = yield* connectAccount(workspaceId, linked, completing)
  return connected._tag === "Connected"
    ? { username: connected.integration.username, page: null }
    : { username: null, page: questionPage(connected.another, { token: connected.token, returnTo }) }
}, Effect.uninterruptible)

const readConfirmation = HttpServerRequest.schemaBodyUrlParams(
  Schema.Struct({
    state: Schema.NonEmptyString,
    code: Schema.NonEmptyString,
    decision: Schema.Literals(["connect", "cancel"])
  })
).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(4)))

/** Errors that a platform sends instead of a code (RFC 6749), and their names in the URL of the page that follows. */
const reportedErrors: ReadonlyMap<string, string> = new Map([
  ["access_denied", "declined"],
  ["server_error", "unavailable"],
  ["temporarily_unavailable", "unavailable"]
])

/** Serves the OAuth redirect URIs. If a connection did not begin in this browser, a form first asks the person. */
export const consentCallbackLayer = (baseUrl: string) => {
  const goOn = goOnAt(baseUrl)

  const routesOf = (platform: ConsentPlatform) =>
    Effect.gen(function* () {
      const name = platformName(platform)
      const sameOrigin = yield* makeSameOrigin
      const cookie = yield* makeSessionCookie
      const lookUp = yield* LinkLookUp

      /** Completes a connection that an API key or a command began. */
      const completeForAnybody = Effect.fnUntraced(function* (state: BegunOAuthState, code: string) {
        const by = keyAuthority(state)
        const completing = by === undefined ? {} : { by }
        const { page, username } = yield* finish(platform, state, { code, verifier: state.verifier }, completing)
        return page ?? messagePage(200, "Connected", `Posts can now go out as @${username}. You can close this window.`)
      })

      /** Completes a connection that a person began in this browser, if the person may still connect accounts. */
      const completeForSession = Effect.fnUntraced(function* (
        state: BegunOAuthState,
        {
          code,
          error,
          returnTo,
          token
        }: {
          readonly code: string | null
          readonly error: string | null
          readonly returnTo: string
          readonly token: SessionToken
        }
      ) {
        const completing = yield* checkSession(state, token)
        if (code === null) return goOn(returnTo, ["error", reportedErrors.get(error ?? "") ?? "refused"])
        return yield* finish(platform, state, { code, verifier: state.verifier }, completing).pipe(
          Effect.map(({ page }) => page ?? goOn(returnTo, ["connected", platform])),
          Effect.catchTag(["NotMember", "RoleLost", "SessionEnded"], (lost) => Effect.succeed(errorPage(lost))),
          Effect.catch(({ _tag, message }) =>
            Effect.as(
              Effect.logWarning(`${String.capitalize(withArticle(name))} account was not connected`, message),
              goOn(returnTo, [
                "error",
                _tag === "NeedsReauthorization" || _tag === "Rejected" ? "refused" : "unavailable"
              ])
            )
          )
        )
      })

      const callback = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const { oauthStates } = yield* Repo
        const { searchParams: query } = new URL(request.url, "http://service.invalid")
        const error = query.get("error")
        // A platform that reports an error sends no code with it.
        const code = error === null ? query.get("code") : null
        const state = query.get("state")
        if (state === null || (code === null && error === null)) {
          return notConnected(`${name} did not send what is needed. Begin again.`)
        }
        const token = cookie.read(request)
        const linked = Effect.gen(function* () {
          const found = yield* oauthStates.find(platform, state, token)
          if (Option.isNone(found)) return Option.none()
          // The connection did not begin in this browser, so the person is asked.
          if (found.value.returnTo === null && code !== null) {
            return Option.some(confirmationPage(platform, found.value, { code, state }))
          }
          const taken = yield* oauthStates.take(platform, state, token)
          if (Option.isNone(taken)) return Option.none()
          const { returnTo } = taken.value
          return Option.some(
            returnTo === null
              ? notConnected(`${name} did not give access: the request was declined.`)
              : yield* completeForSession(taken.value, { code, error, returnTo, token })
          )
        })
        return yield* onPage(lookUp(request, linked))
      })

      const confirmation = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!(yield* sameOrigin.isOwn)) return otherOrigin
        const { oauthStates } = yield* Repo
        const read = yield* Effect.option(readConfirmation)
        if (Option.isNone(read)) return notConnected("The form was not complete. Begin again.")
        const { code, decision: decided, state } = read.value
        const token = cookie.read(request)
        const linked = Effect.gen(function* () {
          const taken = yield* oauthStates.take(platform, state, token)
          if (Option.isNone(taken)) return Option.none()
          if (taken.value.returnTo !== null) return Option.some(otherSession)
          return Option.some(
            decided === "connect"
              ? yield* completeForAnybody(taken.value, code)
              : messagePage(200, "Nothing was connected", "You can close this window.")
          )
        })
        return yield* onPage(lookUp(request, linked))
      })

      return [
        HttpRouter.route("GET", callbackPath(platform), callback),
        HttpRouter.route("POST", confirmationPath(platform), confirmation)
      ]
    })

  const routes = Effect.map(Effect.forEach(consentPlatforms, routesOf), (each) => each.flat())
  return HttpRouter.addAll(routes).pipe(Layer.provide([Layer.succeed(BaseUrl, baseUrl), LinkLookUp.layer]))
}
