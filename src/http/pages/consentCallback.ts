import { ByteSize, Effect, Layer, Option, Schema, String } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest } from "effect/http"
import { connectAccount } from "../../accounts/connectAccount.ts"
import { revokeAccess } from "../../accounts/revokeAccess.ts"
import { accountName, platformName, withArticle } from "../../domain/plain/platforms.ts"
import { AccountLinking, callbackPath, type LinkedAccount } from "../../platforms/AccountLinking.ts"
import { type ConsentPlatform, consentPlatforms } from "../../platforms/links.ts"
import type { TakenChoice } from "../../repo/integrations/accountChanges.ts"
import type { BegunOAuthState } from "../../repo/integrations/oauthStates.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"
import {
  choicePage,
  choicePath,
  confirmationPage,
  confirmationPath,
  furtherPage,
  messagePage,
  questionPage
} from "./accountPages.ts"
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

/** Failures of a connection, which have pages or names in the URL of the page that follows. */
type ConnectFailure = Exclude<Parameters<typeof errorPage>[0], { readonly page: unknown }>

/** Connects the account. `page` asks what to do about another account, if one is connected. */
const connect = Effect.fnUntraced(function* (
  { returnTo, workspaceId }: Pick<BegunOAuthState, "workspaceId" | "returnTo">,
  account: LinkedAccount,
  completing: Completing
) {
  const connected = yield* connectAccount(workspaceId, account, completing)
  return connected._tag === "Connected"
    ? { name: accountName(connected.integration.platform, connected.integration.username), page: null }
    : { name: null, page: questionPage(connected.another, { token: connected.token, returnTo }) }
})

/**
 * Can't be interrupted: if the client left in between, access that the platform has granted would stay valid but
 * unknown.
 */
const finish = Effect.fnUntraced(function* (
  platform: ConsentPlatform,
  begun: Pick<BegunOAuthState, "byKey" | "workspaceId" | "returnTo">,
  grant: Grant,
  completing: Completing
) {
  const { accountChanges } = yield* Repo
  const { accounts, further } = yield* (yield* AccountLinking).finish(platform, grant)
  const [first, ...others] = accounts
  if (first === undefined) return { name: null, page: notConnected(`${platformName(platform)} named no account.`) }
  if (others.length === 0 && further === undefined) return yield* connect(begun, first, completing)
  const { byKey, returnTo, workspaceId } = begun
  const token = yield* accountChanges.keepChoice(
    { workspaceId, platform, accounts, further, returnTo },
    { session: completing.session, byKey: byKey ?? undefined }
  )
  return { name: null, page: choicePage(platform, accounts, { further, token }) }
}, Effect.uninterruptible)

const readChoice = HttpServerRequest.schemaBodyUrlParams(
  Schema.Struct({
    token: Schema.RedactedFromValue(Schema.NonEmptyString),
    choice: Schema.String.check(Schema.isPattern(/^(?:\d{1,4}|further|cancel)$/))
  })
).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(4)))

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

const connectedPage = (name: string | null) =>
  messagePage(200, "Connected", `Posts can now go out as ${name}. You can close this window.`)

/** Serves the OAuth redirect URIs. If a connection did not begin in this browser, a form first asks the person. */
export const consentCallbackLayer = (baseUrl: string) => {
  const goOn = goOnAt(baseUrl)

  const routesOf = (platform: ConsentPlatform) =>
    Effect.gen(function* () {
      const name = platformName(platform)
      const sameOrigin = yield* makeSameOrigin
      const cookie = yield* makeSessionCookie
      const lookUp = yield* LinkLookUp

      /** Goes on in the browser that began the connection, unless a page asks something. */
      const goOnAfter = <E extends ConnectFailure, R>(
        returnTo: string,
        connecting: Effect.Effect<Effect.Success<ReturnType<typeof finish>>, E, R>
      ) =>
        connecting.pipe(
          Effect.map(({ page }) => page ?? goOn(returnTo, ["connected", platform])),
          Effect.catch(({ _tag, message }) => {
            if (_tag === "NotMember" || _tag === "RoleLost" || _tag === "SessionEnded") {
              return Effect.succeed(errorPage({ _tag, message }))
            }
            return Effect.as(
              Effect.logWarning(`${String.capitalize(withArticle(name))} account was not connected`, message),
              goOn(returnTo, [
                "error",
                _tag === "NeedsReauthorization" || _tag === "Rejected" ? "refused" : "unavailable"
              ])
            )
          })
        )

      /** Completes a connection that an API key or a command began. */
      const completeForAnybody = Effect.fnUntraced(function* (
        begun: BegunOAuthState,
        { code, state }: { readonly code: string; readonly state: string }
      ) {
        const by = keyAuthority(begun)
        const completing = by === undefined ? {} : { by }
        const { name: connectedName, page } = yield* finish(
          platform,
          begun,
          { code, state, verifier: begun.verifier },
          completing
        )
        return page ?? connectedPage(connectedName)
      })

      /** Completes a connection that a person began in this browser, if the person may still connect accounts. */
      const completeForSession = Effect.fnUntraced(function* (
        begun: BegunOAuthState,
        {
          code,
          error,
          returnTo,
          state,
          token
        }: {
          readonly code: string | null
          readonly error: string | null
          readonly returnTo: string
          readonly state: string
          readonly token: SessionToken
        }
      ) {
        const completing = yield* checkSession(begun, token)
        if (code === null) return goOn(returnTo, ["error", reportedErrors.get(error ?? "") ?? "refused"])
        return yield* goOnAfter(
          returnTo,
          finish(platform, begun, { code, state, verifier: begun.verifier }, completing)
        )
      })

      /** Chooses one of the accounts that a consent gave access to, asks for a further consent, or ends the access. */
      const choose = Effect.fnUntraced(function* (kept: TakenChoice, choice: string, token: SessionToken) {
        const { accounts, byKey, further, returnTo, workspaceId } = kept
        const by = keyAuthority(kept)
        const completing: Completing =
          returnTo === null ? (by === undefined ? {} : { by }) : yield* checkSession(kept, token)
        if (choice === "further" && further !== undefined) {
          const { state, url, verifier } = yield* (yield* AccountLinking).begin(platform, further.consent)
          const { oauthStates, whileAuthorized } = yield* Repo
          const begunIn =
            returnTo === null || completing.session === undefined
              ? {}
              : { begunIn: { session: completing.session, returnTo } }
          const begin = oauthStates.begin(state, {
            platform,
            workspaceId,
            verifier,
            ...begunIn,
            ...(byKey === null ? {} : { byKey })
          })
          yield* completing.by === undefined ? begin : whileAuthorized(completing.by, begin)
          return furtherPage(platform, further.label, url)
        }
        const account = choice === "cancel" ? undefined : accounts[Number(choice)]
        if (account === undefined) {
          const [first] = accounts
          if (first !== undefined) yield* revokeAccess(first)
          return returnTo === null
            ? messagePage(200, "Nothing was connected", "You can close this window.")
            : goOn(returnTo, ["error", "canceled"])
        }
        const connecting = connect(kept, account, completing)
        if (returnTo !== null) return yield* goOnAfter(returnTo, connecting)
        const { name: connectedName, page } = yield* connecting
        return page ?? connectedPage(connectedName)
      }, Effect.uninterruptible)

      const choice = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!(yield* sameOrigin.isOwn)) return otherOrigin
        const { accountChanges } = yield* Repo
        const read = yield* Effect.option(readChoice)
        if (Option.isNone(read)) return notConnected("The form was not complete. Begin again.")
        const session = cookie.read(request)
        const chosen = Effect.gen(function* () {
          const kept = yield* accountChanges.takeChoice(read.value.token, session)
          if (Option.isNone(kept) || kept.value.platform !== platform) return Option.none()
          return Option.some(yield* choose(kept.value, read.value.choice, session))
        })
        return yield* onPage(lookUp(request, chosen))
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
              : yield* completeForSession(taken.value, { code, error, returnTo, state, token })
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
              ? yield* completeForAnybody(taken.value, { code, state })
              : messagePage(200, "Nothing was connected", "You can close this window.")
          )
        })
        return yield* onPage(lookUp(request, linked))
      })

      return [
        HttpRouter.route("GET", callbackPath(platform), callback),
        HttpRouter.route("POST", confirmationPath(platform), confirmation),
        HttpRouter.route("POST", choicePath(platform), choice)
      ]
    })

  const routes = Effect.map(Effect.forEach(consentPlatforms, routesOf), (each) => each.flat())
  return HttpRouter.addAll(routes).pipe(Layer.provide([Layer.succeed(BaseUrl, baseUrl), LinkLookUp.layer]))
}
