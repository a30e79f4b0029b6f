import { Effect, Layer, Option, Redacted, Semaphore } from "effect"
import { HttpServerRequest, type HttpServerResponse, HttpServerRespondable } from "effect/http"
import { Authentication, type Caller, CurrentCaller } from "../../api/Authentication.ts"
import { RateLimited, Unauthorized } from "../../api/problems.ts"
import { isWellFormedApiKey } from "../../domain/apiKey.ts"
import { Repo } from "../../repo/Repo.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { retryAfter } from "../responseHeaders.ts"
import { orProblem } from "../problems.ts"
import { RequestId } from "../RequestId.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"

type Request = HttpServerRequest.HttpServerRequest

/** How many wrong keys and sessions an address may send in a minute. */
const wrongPerMinute = 60
/** How many lookups there are at a time for addresses that have sent more: they wait for each other, not the others for them. */
const lookupsOfSuspects = 2

const refuse = (detail: string) =>
  Effect.flatMap(RequestId, (request_id) => Effect.fail(new Unauthorized({ detail, request_id })))

const bearerOf = (authorization: string): string => /^bearer +(.+)$/i.exec(authorization)?.[1] ?? ""

export const authentication = Layer.effect(
  Authentication,
  Effect.gen(function* () {
    const { apiKeys, sessions } = yield* Repo
    const cookie = yield* makeSessionCookie
    const addresses = makeAddressLimit({ perMinute: wrongPerMinute })
    const suspects = yield* Semaphore.make(lookupsOfSuspects)

    /** Looks something up that may be wrong. A good key works from any address, whatever else came from there. */
    const lookUp = Effect.fnUntraced(function* <A, E>(
      request: Request,
      find: Effect.Effect<Option.Option<A>, E>,
      otherwise: string
    ) {
      const wait = yield* addresses.wait(request)
      const found = yield* Option.isSome(wait) ? suspects.withPermit(find) : find
      if (Option.isSome(found)) return found.value
      yield* addresses.count(request)
      if (Option.isNone(wait)) return yield* refuse(otherwise)
      yield* retryAfter(wait.value)
      const detail = "Too many wrong keys came from this address"
      return yield* new RateLimited({ detail, request_id: yield* RequestId })
    })

    const keyHolder = Effect.fnUntraced(function* (request: Request, authorization: string) {
      const key = bearerOf(authorization)
      if (key === "") return yield* refuse("Send an API key: Authorization: Bearer sps_…")
      if (!isWellFormedApiKey(key)) {
        const detail = "This is not an API key; it may be cut off or mistyped"
        return yield* lookUp(request, Effect.succeedNone, detail)
      }
      const find = orProblem(apiKeys.find(Redacted.make(key)))
      return yield* lookUp(request, find, "This API key is unknown, has expired or was revoked")
    })

    const sessionHolder = Effect.fnUntraced(function* (request: Request, token: Redacted.Redacted) {
      const holder = yield* lookUp(request, orProblem(sessions.find(token)), "The session has ended; log in again")
      return { ...holder, token }
    })

    const callerOf = Effect.fnUntraced(function* (request: Request) {
      const authorization = request.headers["authorization"]
      if (authorization !== undefined) {
        return { _tag: "Key", holder: yield* keyHolder(request, authorization) } satisfies Caller
      }
      const token = cookie.read(request)
      if (Option.isNone(token)) return yield* refuse("Send an API key: Authorization: Bearer sps_…")
      return { _tag: "Session", holder: yield* sessionHolder(request, token.value) } satisfies Caller
    })

    /**
     * Serves both schemes, whichever comes first: were each to look at its own header alone, a bad key would pass for the
     * good session that came with it. It answers what it refuses rather than failing, for a failure would make the router
     * try the other scheme, and a wrong key would be counted twice.
     */
    const identify = <E>(handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, CurrentCaller>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.matchEffect(callerOf(request), {
          onFailure: (problem) => HttpServerRespondable.toResponse(problem),
          onSuccess: (caller) => Effect.provideService(handler, CurrentCaller, caller)
        })
      )

    return Authentication.of({ apiKey: identify, session: identify })
  })
)
