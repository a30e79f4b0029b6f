import { Context, Data, type Duration, Effect, Exit, Layer, Option, type Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hasScope } from "../../domain/people/apiKey.ts"
import { sessionActor } from "../../domain/people/actor.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import { returnUrl } from "../../domain/returnPath.ts"
import type { BegunOAuthState } from "../../repo/integrations/oauthStates.ts"
import { Repo } from "../../repo/Repo.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { wholeSeconds } from "../responseHeaders.ts"
import { messagePage } from "./accountPages.ts"

type Page = HttpServerResponse.HttpServerResponse
export type SessionToken = Option.Option<Redacted.Redacted>

/** The most unknown states and tokens from one address. Each look-up of one writes to the database. */
const maxUnknownPerMinute = 30

export const notConnected = (message: string) => messagePage(400, "Not connected", message)

const expired = notConnected("This link was used already, or it is too old. Begin again.")

/** Prevents CSRF: an attacker can't make another person's browser complete the attacker's connection. */
export const otherSession = messagePage(
  403,
  "Not connected",
  "This was begun in another browser, or you have logged out or in since. Log in, and begin again on the Accounts page."
)

const notAllowed = messagePage(
  403,
  "Not connected",
  "You are now in another workspace, or may no longer connect accounts. Begin again on the Accounts page."
)

export const otherOrigin = messagePage(403, "Not accepted", "This has to be sent from the service's own page.")

export const unavailable = (message: string) => messagePage(503, "Not connected", message)

const throttled = (wait: Duration.Duration) =>
  HttpServerResponse.setHeader(
    messagePage(
      429,
      "Too many attempts",
      "Too many invalid links were opened from this address. Wait a minute, then try again."
    ),
    "retry-after",
    wholeSeconds(wait)
  )

export const goOnAt = (baseUrl: string) => (path: string, outcome: readonly [name: string, value: string]) =>
  HttpServerResponse.redirect(returnUrl(baseUrl, path, outcome), { status: 303 })

/** An address that has sent too many unknown states or tokens is refused. The pages share one count. */
export class LinkLookUp extends Context.Service<
  LinkLookUp,
  <E, R>(
    request: HttpServerRequest.HttpServerRequest,
    find: Effect.Effect<Option.Option<Page>, E, R>
  ) => Effect.Effect<Page, E, R>
>()("social-publisher/http/LinkLookUp") {
  static readonly layer = Layer.sync(LinkLookUp, () => {
    const unknownAttempts = makeAddressLimit({ perMinute: maxUnknownPerMinute })
    return (request, find) =>
      unknownAttempts
        .run(request, find, {
          isFailure: (exit) => Exit.isSuccess(exit) && Option.isNone(exit.value),
          refuse: (wait) => Effect.succeedSome(throttled(wait))
        })
        .pipe(Effect.map(Option.getOrElse(() => expired)))
  })
}

class NotAllowed extends Data.TaggedError("NotAllowed")<{ readonly page: Page }> {}

interface Shown {
  readonly _tag:
    | "ApplicationRefused"
    | "CredentialsUnreadable"
    | "DatabaseUnavailable"
    | "KeyEnded"
    | "NeedsReauthorization"
    | "NotFound"
    | "NotMember"
    | "OutcomeUnknown"
    | "Overloaded"
    | "PlatformInReview"
    | "RateLimited"
    | "Rejected"
    | "RoleLost"
    | "ScopeRequired"
    | "SessionEnded"
    | "TooEarly"
    | "Unavailable"
  readonly message: string
}

export const errorPage = (error: NotAllowed | Shown): Page => {
  if (error instanceof NotAllowed) return error.page
  switch (error._tag) {
    case "DatabaseUnavailable":
      return unavailable("The service can't reach its database. Begin again in a moment.")
    case "CredentialsUnreadable":
      return expired
    case "NotMember":
    case "RoleLost":
      return notAllowed
    case "SessionEnded":
      return otherSession
    default:
      return notConnected(error.message)
  }
}

export const onPage = <E extends Parameters<typeof errorPage>[0], R>(page: Effect.Effect<Page, E, R>) =>
  Effect.catch(page, (error) => Effect.succeed(errorPage(error)))

const scope = "integrations:write"

/** Undefined if a command began the connection. */
export const keyAuthority = ({ byKey, workspaceId }: Pick<BegunOAuthState, "byKey" | "workspaceId">) =>
  byKey === null ? undefined : scopeAuthority({ author: { type: "key", id: byKey }, workspaceId }, scope)

/** Checks that this session began the connection, and may connect accounts in the workspace. */
export const checkSession = Effect.fnUntraced(function* (
  { isOtherSession, workspaceId }: Pick<BegunOAuthState, "isOtherSession" | "workspaceId">,
  token: SessionToken
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
