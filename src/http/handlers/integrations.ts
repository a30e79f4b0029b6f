import { Context, DateTime, Duration, Effect, Option, type Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { AskPostingOptions } from "../../accounts/AskPostingOptions.ts"
import { connectAccount } from "../../accounts/connectAccount.ts"
import { decideAccountChange } from "../../accounts/decideAccountChange.ts"
import { revokeAccess } from "../../accounts/revokeAccess.ts"
import * as AccountProblem from "../../api/accounts/accountProblems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentCaller } from "../../api/Authentication.ts"
import { CurrentActor } from "../../api/Authorization.ts"
import * as Problem from "../../api/problems.ts"
import type { AnotherAccountConnected } from "../../domain/accounts/accountChange.ts"
import type { Integration } from "../../domain/accounts/integration.ts"
import type { PostingOptions } from "../../domain/accounts/postingOptions.ts"
import type { Actor } from "../../domain/people/actor.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import type { DatabaseUnavailable, TooManyAttempts } from "../../domain/errors.ts"
import type { IntegrationId, WorkspaceId } from "../../domain/ids.ts"
import { platformName } from "../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../domain/platform.ts"
import { defaultReturnPath } from "../../domain/returnPath.ts"
import type { LinkRefused, PlatformError } from "../../domain/publishing/platformError.ts"
import { Notifier } from "../../notifier/Notifier.ts"
import { AccountLinking, type PlatformInReview } from "../../platforms/AccountLinking.ts"
import { liveFacts } from "../../platforms/facts.ts"
import type { FormValues } from "../../platforms/Link.ts"
import type { ConsentPlatform, FormPlatform } from "../../platforms/links.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { failuresWith, makeAttemptLimit } from "../caller/attemptLimit.ts"
import { fail, failInvalid, orProblem } from "../problems.ts"
import { retryAfter } from "../responseHeaders.ts"
import { serveAvatar } from "./integrationAvatar.ts"
import { asActor, asData, inWorkspace, wholeList } from "./shared.ts"

/**
 * Failed log-ins to a platform, per workspace and per address. The limit prevents guessing passwords through this
 * service.
 */
const maxFailuresPerMinute = 10

const platformRetry = Duration.seconds(30)

const platformUnavailable = (detail: string, wait = platformRetry) =>
  Effect.andThen(retryAfter(wait), fail(AccountProblem.PlatformUnavailable, { detail }))

const anotherAccount = (
  { current, message, next, platform, waiting }: AnotherAccountConnected,
  token: Redacted.Redacted
) =>
  fail(AccountProblem.AnotherAccountConnected, {
    detail: message,
    change: {
      token,
      platform,
      replaces: current.accountId,
      current: { account_id: current.accountId, username: current.username },
      next: { account_id: next.accountId, username: next.username },
      waiting
    }
  })

const changeGone = fail(Problem.shown.NotFound, {
  detail: "There is no such change: it was decided already, or it is older than 15 minutes. Connect the account again"
})

const refuseInReview = ({ message }: PlatformInReview) => fail(Problem.shown.NotFound, { detail: message })

/** The response does not repeat the platform's message, because anybody can run a server of some platforms. */
const refuseLogin = Effect.fnUntraced(function* (
  platform: FormPlatform,
  error: PlatformError | LinkRefused | PlatformInReview | TooManyAttempts
): Effect.fn.Return<
  never,
  | typeof Problem.shown.InvalidRequest.Type
  | typeof Problem.shown.NotFound.Type
  | Problem.RateLimited
  | AccountProblem.PlatformUnavailable
> {
  switch (error._tag) {
    case "TooManyAttempts":
      return yield* orProblem(Effect.fail(error))
    case "PlatformInReview":
      return yield* refuseInReview(error)
    case "LinkRefused":
      return yield* failInvalid([{ path: [error.field], message: error.message }])
    case "RateLimited":
      return yield* platformUnavailable(
        `${platformName(platform)} accepts no more log-ins to this account for now`,
        Duration.max(DateTime.distance(yield* DateTime.now, error.until), platformRetry)
      )
    default:
      return yield* platformUnavailable(
        `The ${platformName(platform)} service could not be reached, or did not log in. Nothing was changed; try again in a moment`
      )
  }
})

const scope = "integrations:write"

const makeLogIn = Effect.gen(function* () {
  const accountLinking = yield* AccountLinking
  const ofAddress = makeAddressLimit({ perMinute: maxFailuresPerMinute })
  const ofWorkspace = makeAttemptLimit({ perMinute: maxFailuresPerMinute })

  return Effect.fnUntraced(function* (workspaceId: WorkspaceId, platform: FormPlatform, values: FormValues) {
    const request = yield* HttpServerRequest.HttpServerRequest
    // Counts only refused log-ins. If the platform is unavailable, nothing was refused.
    const refused = failuresWith(
      "LinkRefused",
      `Too many log-ins to ${platformName(platform)} have failed; wait a minute`
    )
    const linked = accountLinking.logIn(platform, values, { guarded: true })
    const limited = ofWorkspace.run(workspaceId, linked, refused)
    return yield* Effect.catch(ofAddress.run(request, limited, refused), (error) => refuseLogin(platform, error))
  })
})

const askedPlatform = Effect.fnUntraced(function* (
  platform: LivePlatform,
  error: PlatformError | DatabaseUnavailable
): Effect.fn.Return<never, AccountProblem.NeedsReconnect | Problem.Unavailable | AccountProblem.PlatformUnavailable> {
  const name = platformName(platform)
  switch (error._tag) {
    case "DatabaseUnavailable":
      return yield* orProblem(Effect.fail(error))
    case "NeedsReauthorization":
      return yield* fail(AccountProblem.NeedsReconnect, { detail: error.message })
    case "RateLimited":
      return yield* platformUnavailable(
        `${name} accepts no more questions about this account for now`,
        Duration.max(DateTime.distance(yield* DateTime.now, error.until), platformRetry)
      )
    default:
      return yield* platformUnavailable(`${name} did not say what this account may choose: ${error.message}`)
  }
})

/** The account's own options, or those of all accounts. */
const optionsOf = ({ display_name, username }: Integration): PostingOptions => ({
  username,
  display_name,
  settings: [],
  max_video_duration_ms: null
})

export const integrationsLayer = HttpApiBuilder.group(
  Api,
  "integrations",
  Effect.fn(function* (handlers) {
    const { integrations, oauthStates, whileAuthorized } = yield* Repo
    const accountLinking = yield* AccountLinking
    const askOptions = yield* AskPostingOptions
    const baseUrl = yield* BaseUrl
    const logIn = yield* makeLogIn
    const services = Context.pick(
      Repo,
      AccountLinking,
      Notifier
    )(yield* Effect.context<Repo | AccountLinking | Notifier>())

    const connectByForm = Effect.fn("connectByForm")(function* (platform: FormPlatform, values: FormValues) {
      const actor = yield* CurrentActor
      const { workspaceId } = actor
      const linked = yield* logIn(workspaceId, platform, values)
      const by = scopeAuthority(actor, scope)
      const connected = yield* connectAccount(workspaceId, linked, { by }).pipe(
        Effect.provideContext(services),
        orProblem
      )
      if (connected._tag === "Another") return yield* anotherAccount(connected.another, connected.token)
      const { integration } = connected
      return HttpApiSchema.withHeaders({
        body: { data: integration },
        headers: { location: `${baseUrl}/v1/integrations/${integration.id}` }
      })
    })

    const connectByConsent = Effect.fn("connectByConsent")(function* (platform: ConsentPlatform, returnTo: string) {
      const actor = yield* CurrentActor
      const { workspaceId } = actor
      const caller = yield* CurrentCaller
      const { state, url, verifier } = yield* Effect.catchTags(accountLinking.begin(platform), {
        PlatformInReview: refuseInReview,
        Rejected: () =>
          platformUnavailable(
            `${platformName(platform)} accounts can't be connected here until the service's operator has set ${liveFacts[platform].link.application}`
          )
      })
      const begun =
        caller._tag === "Session"
          ? { begunIn: { session: caller.holder.token, returnTo } }
          : { byKey: caller.holder.keyId }
      const expiresAt = yield* whileAuthorized(
        scopeAuthority(actor, scope),
        oauthStates.begin(state, { platform, workspaceId, verifier, ...begun })
      ).pipe(orProblem)
      return { authorize_url: url, expires_at: expiresAt }
    })

    const decide = Effect.fn("decideAccountChange")(function* ({
      decision,
      replaces,
      token
    }: {
      readonly decision: Parameters<typeof decideAccountChange>[1]
      readonly replaces: string
      readonly token: Redacted.Redacted
    }) {
      const actor = yield* CurrentActor
      const { workspaceId } = actor
      const authorize = () => Effect.succeed(scopeAuthority(actor, scope))
      const decided = yield* decideAccountChange(token, decision, replaces, { workspaceId, authorize }).pipe(
        Effect.provideContext(services),
        // Not interruptible, so that unneeded access is revoked even if the client has left.
        Effect.uninterruptible,
        Effect.catchTag(
          ["DatabaseUnavailable", "NotFound", "KeyEnded", "NotMember", "RoleLost", "SessionEnded"],
          (error) => orProblem(Effect.fail(error))
        ),
        Effect.catchTags({
          AnotherAccountConnected: (another) => anotherAccount(another, token),
          OutcomePending: ({ message }) => fail(AccountProblem.OutcomePending, { detail: message }),
          CredentialsUnreadable: () => changeGone
        })
      )
      if (Option.isNone(decided)) return yield* changeGone
      const replacement = decided.value
      return replacement === null
        ? { data: null, unchanged: null }
        : { data: replacement.integration, unchanged: replacement.unchanged }
    })

    const findOptions = Effect.fn("postingOptions")(function* (workspaceId: WorkspaceId, id: IntegrationId) {
      const account = yield* orProblem(integrations.get(workspaceId, id))
      const asked = askOptions(workspaceId, account)
      return (yield* Effect.catch(asked, (error) => askedPlatform(account.platform, error))) ?? optionsOf(account)
    })

    const disconnect = (actor: Actor, id: IntegrationId) =>
      whileAuthorized(scopeAuthority(actor, scope), integrations.disconnect(id, actor.workspaceId)).pipe(
        Effect.tap(({ former }) => (former === null ? Effect.void : revokeAccess(former))),
        Effect.as({ id, deleted: true as const }),
        Effect.provideContext(services),
        Effect.uninterruptible
      )

    const byConsent =
      (platform: ConsentPlatform) =>
      ({ payload: { return_to = defaultReturnPath } }: { readonly payload: { readonly return_to?: string } }) =>
        asData(connectByConsent(platform, return_to))

    return handlers
      .handle("list", ({ query: { limit } }) =>
        inWorkspace((workspaceId) => integrations.list(workspaceId)).pipe(
          Effect.map((all) => all.slice(0, limit)),
          asData,
          orProblem,
          wholeList
        )
      )
      .handle("connectBluesky", ({ payload }) => connectByForm("bluesky", payload))
      .handle("connectFacebook", byConsent("facebook"))
      .handle("connectLinkedin", byConsent("linkedin"))
      .handle("connectTwitter", byConsent("twitter"))
      .handle("connectInstagram", byConsent("instagram"))
      .handle("connectTiktok", byConsent("tiktok"))
      .handle("connectThreads", byConsent("threads"))
      .handle("connectYoutube", byConsent("youtube"))
      .handle("decide", ({ payload }) => decide(payload))
      .handle("get", ({ params: { id } }) =>
        inWorkspace((workspaceId) => integrations.get(workspaceId, id)).pipe(asData, orProblem)
      )
      .handle("postingOptions", ({ params: { id } }) =>
        asData(inWorkspace((workspaceId) => findOptions(workspaceId, id)))
      )
      .handleRaw("avatar", ({ params: { id }, request }) =>
        serveAvatar(request, id).pipe(Effect.provideContext(services))
      )
      .handle("disconnect", ({ params: { id } }) => asActor((actor) => disconnect(actor, id)).pipe(asData, orProblem))
  })
)
