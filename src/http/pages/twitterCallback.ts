import { ByteSize, Data, type Duration, Effect, Exit, Layer, Option, type Redacted, Schema } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { connectAccount } from "../../accounts/connectAccount.ts"
import { decideAccountChange } from "../../accounts/decideAccountChange.ts"
import { AccountDecision } from "../../domain/accounts/accountChange.ts"
import { hasScope } from "../../domain/people/apiKey.ts"
import { ReturnPath, returnUrl } from "../../domain/returnPath.ts"
import { sessionActor } from "../../domain/people/actor.ts"
import { type Authority, scopeAuthority } from "../../domain/people/authority.ts"
import { AccountLinking, twitterCallbackPath } from "../../platforms/AccountLinking.ts"
import type { BegunOAuthState } from "../../repo/integrations/oauthStates.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"
import { wholeSeconds } from "../responseHeaders.ts"
import {
  alreadyConnectedPage,
  confirmationPage,
  confirmationPath,
  decisionPath,
  messagePage,
  questionPage,
  tryAgainPage
} from "./accountPages.ts"

/** Unknown states and tokens from one address; each is a write to the database. */
const maxUnknownPerMinute = 30

const notConnected = (message: string) => messagePage(400, "Not connected", message)

const expired = notConnected("This link was used already, or it is too old. Begin again.")

/** Prevents CSRF: nobody can have another person's browser complete what they began themselves. */
const otherSession = messagePage(
  403,
  "Not connected",
  "This was begun in another browser, or you have logged out or in since. Log in, and begin again on the page of accounts."
)

const notAllowed = messagePage(
  403,
  "Not connected",
  "You are in another workspace by now, or may not connect accounts any more. Begin again on the page of accounts."
)

const otherOrigin = messagePage(403, "Not accepted", "This has to be sent from the service's own page.")

const unavailable = (message: string) => messagePage(503, "Not connected", message)

const throttled = (wait: Duration.Duration) =>
  HttpServerResponse.setHeader(
    messagePage(429, "Too many attempts", "Too many links that do not work came from this address. Wait a minute."),
    "retry-after",
    wholeSeconds(wait)
  )

type Grant = Parameters<AccountLinking["Service"]["finishTwitterLink"]>[0]

/** Who completes what was begun: by whose right, and in which session, if it was begun in one. */
interface Completing {
  readonly by?: Authority
  readonly session?: Redacted.Redacted
}

/** Exchanges the code, and connects the account or asks about it. */
const finish = Effect.fnUntraced(function* (
  { returnTo, workspaceId }: Pick<BegunOAuthState, "workspaceId" | "returnTo">,
  grant: Grant,
  completing: Completing
) {
  const linked = yield* (yield* AccountLinking).finishTwitterLink(grant)
  const connected = yield* connectAccount(workspaceId, { platform: "twitter", ...linked }, completing)
  return connected._tag === "Connected"
    ? { username: connected.integration.username, page: null }
    : { username: null, page: questionPage(connected.another, { token: connected.token, returnTo }) }
})

const readDecision = HttpServerRequest.schemaBodyUrlParams(
  Schema.Struct({
    token: Schema.RedactedFromValue(Schema.NonEmptyString),
    replaces: Schema.NonEmptyString,
    decision: AccountDecision,
    return_to: Schema.optionalKey(ReturnPath)
  })
).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(4)))

const readConfirmation = HttpServerRequest.schemaBodyUrlParams(
  Schema.Struct({
    state: Schema.NonEmptyString,
    code: Schema.NonEmptyString,
    decision: Schema.Literals(["connect", "cancel"])
  })
).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.kibibytes(4)))

/** What X reports instead of a code, in the words of the page that is returned to. */
const reportedErrors: Readonly<Record<string, string>> = {
  access_denied: "declined",
  server_error: "unavailable",
  temporarily_unavailable: "unavailable"
}

type Page = HttpServerResponse.HttpServerResponse
type Token = Option.Option<Redacted.Redacted>

/** Whoever uses this browser may not complete what was begun, or not any more; the page says why. */
class NotAllowed extends Data.TaggedError("NotAllowed")<{ readonly page: Page }> {}

const scope = "integrations:write"

/** The right of the key that something was begun with; undefined where an operator has begun it. */
const keyAuthority = ({ byKey, workspaceId }: Pick<BegunOAuthState, "byKey" | "workspaceId">) =>
  byKey === null ? undefined : scopeAuthority({ author: { type: "key", id: byKey }, workspaceId }, scope)

/** Passes the session that something was begun in, and its person's right to connect accounts of that workspace. */
const checkSession = Effect.fnUntraced(function* (
  { isOtherSession, workspaceId }: Pick<BegunOAuthState, "isOtherSession" | "workspaceId">,
  token: Token
) {
  const { sessions } = yield* Repo
  if (isOtherSession || Option.isNone(token)) return yield* new NotAllowed({ page: otherSession })
  const holder = yield* sessions.find(token.value)
  if (Option.isNone(holder)) return yield* new NotAllowed({ page: otherSession })
  const actor = sessionActor(holder.value)
  if (actor.workspaceId !== workspaceId || !hasScope(actor.scopes, scope)) {
    return yield* new NotAllowed({ page: notAllowed })
  }
  return { session: token.value, by: scopeAuthority(actor, scope) }
})

/** Says why nothing was connected. */
const errorPage = (error: NotAllowed | { readonly _tag: string; readonly message: string }): Page => {
  if (error instanceof NotAllowed) return error.page
  switch (error._tag) {
    case "DatabaseUnavailable":
      return unavailable("The service can't reach its database. Begin again in a moment.")
    case "CredentialsUnreadable":
      return expired
    default:
      return notConnected(error.message)
  }
}

const onPage = <E extends Parameters<typeof errorPage>[0], R>(page: Effect.Effect<Page, E, R>) =>
  Effect.catch(page, (error) => Effect.succeed(errorPage(error)))

/**
 * The OAuth redirect URI, to which X sends a person back after they agreed or declined, and the decision where they agreed
 * as another account than the connected one. `baseUrl` is the service's address for browsers.
 */
export const twitterCallbackLayer = (baseUrl: string) => {
  const goOn = (path: string, outcome: readonly [name: string, value: string]) =>
    HttpServerResponse.redirect(returnUrl(baseUrl, path, outcome), { status: 303 })

  return Layer.unwrap(
    Effect.gen(function* () {
      const sameOrigin = yield* makeSameOrigin
      const cookie = yield* makeSessionCookie
      const unknownAttempts = makeAddressLimit({ perMinute: maxUnknownPerMinute })

      /** Looks up a state or token, unless too many unknown ones came from the address. */
      const lookUp = <E, R>(
        request: HttpServerRequest.HttpServerRequest,
        find: Effect.Effect<Option.Option<Page>, E, R>
      ) =>
        unknownAttempts
          .run(request, find, {
            isFailure: (exit) => Exit.isSuccess(exit) && Option.isNone(exit.value),
            refuse: (wait) => Effect.succeedSome(throttled(wait))
          })
          .pipe(Effect.map(Option.getOrElse(() => expired)))

      /** Completes what was begun with an API key or on the command line, once whoever has the link has confirmed it. */
      const completeForAnybody = Effect.fnUntraced(function* (state: BegunOAuthState, code: string) {
        const by = keyAuthority(state)
        const completing = by === undefined ? {} : { by }
        const { page, username } = yield* finish(state, { code, verifier: state.verifier }, completing)
        return page ?? messagePage(200, "Connected", `Posts can now go out as @${username}. You can close this window.`)
      })

      /** Completes what a person began in this browser, if they may still do so, and goes on to the page where they were. */
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
          readonly token: Token
        }
      ) {
        const completing = yield* checkSession(state, token)
        if (code === null) return goOn(returnTo, ["error", reportedErrors[error ?? ""] ?? "refused"])
        return yield* finish(state, { code, verifier: state.verifier }, completing).pipe(
          Effect.map(({ page }) => page ?? goOn(returnTo, ["connected", "twitter"])),
          Effect.catch(({ _tag, message }) =>
            Effect.as(
              Effect.logWarning("An X account was not connected", message),
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
        // An error takes precedence: a code beside it is none that X sent.
        const code = error === null ? query.get("code") : null
        const state = query.get("state")
        if (state === null || (code === null && error === null)) {
          return notConnected("X did not send what is needed. Begin again.")
        }
        const token = cookie.read(request)
        const linked = Effect.gen(function* () {
          const found = yield* oauthStates.find(state, token)
          if (Option.isNone(found)) return Option.none()
          // Nothing but the link ties it to this browser, so that its person is asked.
          if (found.value.returnTo === null && code !== null) {
            return Option.some(confirmationPage(found.value, { code, state }))
          }
          const taken = yield* oauthStates.take(state, token)
          if (Option.isNone(taken)) return Option.none()
          const { returnTo } = taken.value
          return Option.some(
            returnTo === null
              ? notConnected("X did not give access: the request was declined.")
              : yield* completeForSession(taken.value, { code, error, returnTo, token })
          )
        })
        return yield* onPage(lookUp(request, linked))
      })

      /** Connects the account that its person has confirmed, or gives the link up. */
      const confirmation = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!(yield* sameOrigin.isOwn)) return otherOrigin
        const { oauthStates } = yield* Repo
        const read = yield* Effect.option(readConfirmation)
        if (Option.isNone(read)) return notConnected("The form was not complete. Begin again.")
        const { code, decision: decided, state } = read.value
        const token = cookie.read(request)
        const linked = Effect.gen(function* () {
          const taken = yield* oauthStates.take(state, token)
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

      /** Carries out what a person chose on the page. */
      const decide = Effect.fnUntraced(function* (
        { decision, replaces, return_to: returnTo, token }: Effect.Success<typeof readDecision>,
        session: Token
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
            const message = "The access that you gave was ended. You can close this window."
            return returnTo === undefined
              ? messagePage(200, "Nothing was changed", message)
              : goOn(returnTo, ["error", "canceled"])
          }
          const { integration, unchanged } = replacement
          if (unchanged !== null) return alreadyConnectedPage(integration.username, decision === "drafts", unchanged)
          return returnTo === undefined
            ? messagePage(200, "Connected", `Posts now go out as @${integration.username}. You can close this window.`)
            : goOn(returnTo, ["connected", "twitter"])
        })
      })

      const decision = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!(yield* sameOrigin.isOwn)) return otherOrigin
        const read = yield* Effect.option(readDecision)
        if (Option.isNone(read)) return notConnected("The form was not complete. Begin again.")
        const { replaces, return_to: returnTo = null, token } = read.value
        return yield* lookUp(request, decide(read.value, cookie.read(request))).pipe(
          // The access that a decision ends is ended, although nobody waits for the page any more.
          Effect.uninterruptible,
          Effect.catchTags({
            AnotherAccountConnected: (another) => Effect.succeed(questionPage(another, { token, returnTo })),
            OutcomePending: (pending) => Effect.succeed(tryAgainPage(pending, { token, replaces, returnTo })),
            DatabaseUnavailable: () =>
              Effect.succeed(
                unavailable(
                  "The service can't reach its database, or took too long. Go back, and try again in a moment."
                )
              ),
            CredentialsUnreadable: () => Effect.succeed(expired),
            NotAllowed: ({ page }) => Effect.succeed(page),
            KeyEnded: ({ message }) => Effect.succeed(notConnected(message)),
            NotMember: ({ message }) => Effect.succeed(notConnected(message)),
            RoleLost: ({ message }) => Effect.succeed(notConnected(message)),
            NotFound: ({ message }) => Effect.succeed(notConnected(message))
          })
        )
      })

      return Layer.mergeAll(
        HttpRouter.add("GET", twitterCallbackPath, callback),
        HttpRouter.add("POST", decisionPath, decision),
        HttpRouter.add("POST", confirmationPath, confirmation)
      )
    })
  ).pipe(Layer.provide(Layer.succeed(BaseUrl, baseUrl)))
}
