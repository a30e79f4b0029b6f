import { Context, type Duration, Effect, Layer, Option, Redacted, Semaphore } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpServerRespondable } from "effect/http"
import { Authentication, type Caller, CurrentCaller } from "../../api/Authentication.ts"
import * as Problem from "../../api/problems.ts"
import { isWellFormedApiKey } from "../../domain/people/apiKey.ts"
import { CurrentRequester } from "../../domain/requester.ts"
import { Repo } from "../../repo/Repo.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"
import { fail, orProblem } from "../problems.ts"
import { retryAfter } from "../responseHeaders.ts"
import { UnknownCallers } from "./unknownCallers.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Wrong keys and sessions in a minute, after which an address is throttled. */
const maxFailuresPerMinute = 60
/** Look-ups for throttled addresses run two at a time, so that other callers don't wait for them. */
const maxThrottledLookups = 2

const keyRequired = fail(Problem.Unauthorized, { detail: "Send an API key: Authorization: Bearer sps_…" })

/** Refuses a request without a key, and counts it by its address. */
export const makeRequireKey = Effect.map(
  UnknownCallers,
  ({ count }) =>
    (request: Request) =>
      Effect.andThen(count(request), keyRequired)
)

export const parseBearer = (authorization: string): string => /^bearer +(.+)$/i.exec(authorization)?.[1] ?? ""

/** All routes share the counts of failed attempts. */
export class FindCaller extends Context.Service<
  FindCaller,
  (request: Request) => Effect.Effect<Caller, Problem.Unauthorized | Problem.RateLimited | Problem.Unavailable>
>()("social-publisher/http/FindCaller") {}

export const findCallerLayer = Layer.effect(
  FindCaller,
  Effect.gen(function* () {
    const { apiKeys, sessions } = yield* Repo
    const cookie = yield* makeSessionCookie
    const requireKey = yield* makeRequireKey
    const failedAttempts = makeAddressLimit({ perMinute: maxFailuresPerMinute })
    const throttledLookups = yield* Semaphore.make(maxThrottledLookups)

    /** A valid key or session works even from a throttled address, because others may share the address. */
    const lookUp = <A, E>(request: Request, find: Effect.Effect<Option.Option<A>, E>, detail: string) =>
      Effect.flatMap(failedAttempts.wait(request), (wait) =>
        Effect.flatMap(Option.isSome(wait) ? throttledLookups.withPermit(find) : find, (found) =>
          Option.isSome(found) ? Effect.succeed(found.value) : refuse(request, wait, detail)
        )
      )

    const refuse = Effect.fnUntraced(function* (
      request: Request,
      wait: Option.Option<Duration.Duration>,
      detail: string
    ) {
      yield* failedAttempts.count(request)
      if (Option.isNone(wait)) return yield* fail(Problem.Unauthorized, { detail })
      yield* retryAfter(wait.value)
      return yield* fail(Problem.RateLimited, { detail: "Too many wrong keys came from this address" })
    })

    const findKeyHolder = (request: Request, authorization: string) => {
      const key = parseBearer(authorization)
      if (key === "") return requireKey(request)
      return isWellFormedApiKey(key)
        ? lookUp(
            request,
            orProblem(apiKeys.find(Redacted.make(key))),
            "This API key is unknown, has expired or was revoked"
          )
        : lookUp(request, Effect.succeedNone, "This is not an API key; it may be cut off or mistyped")
    }

    const findSessionHolder = (request: Request, token: Redacted.Redacted) =>
      Effect.map(lookUp(request, orProblem(sessions.find(token)), "The session has ended; log in again"), (holder) => ({
        ...holder,
        token
      }))

    return FindCaller.of((request) => {
      const authorization = request.headers["authorization"]
      if (authorization !== undefined) {
        return Effect.map(findKeyHolder(request, authorization), (holder): Caller => ({ _tag: "Key", holder }))
      }
      const token = cookie.read(request)
      if (Option.isNone(token)) return requireKey(request)
      return Effect.map(findSessionHolder(request, token.value), (holder): Caller => ({ _tag: "Session", holder }))
    })
  })
)

export const authenticationLayer = Layer.effect(
  Authentication,
  Effect.map(FindCaller, (findCaller) => {
    /**
     * Handles both security schemes, no matter which one the router tries first. If each scheme read only its own
     * header, a request with a wrong key and a valid session cookie would be accepted. A refusal is returned as a
     * response: after a failure, the router would try the other scheme and count a wrong key twice.
     */
    const identify = <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentCaller>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.matchEffect(findCaller(request), {
          onFailure: (problem) => HttpServerRespondable.toResponse(problem),
          onSuccess: (caller) =>
            handler.pipe(
              Effect.provideService(CurrentRequester, caller.holder.workspaceId),
              Effect.provideService(CurrentCaller, caller)
            )
        })
      )

    return Authentication.of({ apiKey: identify, session: identify })
  })
)
