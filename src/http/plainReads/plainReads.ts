import { Cause, Clock, Context, Effect, Layer, Option, Redacted, type Scope, Tracer } from "effect"
import { type HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { DatabaseUnavailable, NotFound } from "../../domain/errors.ts"
import { hasScope, type KeyHolder } from "../../domain/people/apiKey.ts"
import { Repo } from "../../repo/Repo.ts"
import { countedReads } from "../countedReads.ts"
import { makePostList, readFirst } from "../handlers/postList.ts"
import { newestPosts } from "../handlers/postPages.ts"
import { onePostJson } from "../handlers/shared.ts"
import { makeCountKeyRequest } from "../middleware/rateLimit.ts"
import { BeforeRouter, type RequestListener } from "../node/nodeServer.ts"
import { orProblem } from "../problems.ts"
import { chooseRequestId } from "../RequestId.ts"
import { clientClosedRequest, findRoute, recordRequest } from "../router/requestLog.ts"
import { defaultHeaders, makeHeaderList } from "../router/responses.ts"
import { RouteTable } from "../router/RouteTable.ts"
import { findPlainRead, type PlainRead } from "./findPlainRead.ts"

export interface PlainReadOptions {
  readonly rateLimitPerMinute: number
  readonly hsts: boolean
  /** Whether requests come from the trusted proxy. */
  readonly isProxied: boolean
}

/** Whether plain reads are served before the router. */
export const ServesPlainReads = Context.Reference<boolean>("social-publisher/http/ServesPlainReads", {
  defaultValue: () => true
})

type Rest = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerRespondable.Respondable,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** What is sent, or what is left to do for a response that is not sent as a whole. */
type Found =
  | { readonly body: string | Uint8Array; readonly etag?: string }
  | { readonly rest: Rest }

const makeServe = Effect.fnUntraced(function* ({ hsts, rateLimitPerMinute }: PlainReadOptions) {
  const { apiKeys, posts } = yield* Repo
  const countRequest = yield* makeCountKeyRequest(rateLimitPerMinute)
  const respondWithList = yield* makePostList
  const routes = yield* RouteTable
  const context = yield* Effect.context()
  const clock = Context.get(context, Clock.Clock)
  const listHeaders = makeHeaderList(defaultHeaders(hsts))

  /** Whoever may read the post, and the headers of the request's count; undefined for what the middleware has to decide. */
  const admit = (key: string) =>
    Effect.flatMap(apiKeys.findKnown(Redacted.make(key)), (found) => {
      const holder = Option.getOrUndefined(found)
      if (holder === undefined || !hasScope(holder.scopes, "posts:read")) return Effect.undefined
      return Effect.map(countRequest(holder.workspaceId), (added) => added && { holder, added })
    })

  const read = (
    { workspaceId }: KeyHolder,
    { id, limit }: PlainRead
  ): Effect.Effect<Found, NotFound | DatabaseUnavailable> => {
    if (id !== null) return Effect.map(posts.getJson(workspaceId, id), (post) => {
      const { body, headers } = onePostJson(post)
      return { body, etag: headers.etag }
    })
    const list = newestPosts(posts, workspaceId, limit === undefined ? {} : { limit })
    return Effect.map(readFirst(list), (first) =>
      first.next === undefined ? { body: first.bytes } : { rest: respondWithList(list, first) }
    )
  }

  /** Serves a plain read, or has it routed. */
  return (plain: PlainRead, incoming: IncomingMessage, response: ServerResponse, route: () => void) => {
    const start = clock.monotonicTimeNanosUnsafe()
    const { path } = plain

    const serveAdmitted = (holder: KeyHolder, added: Readonly<Record<string, string>>) => {
      const requestId = chooseRequestId(incoming.headers)
      const observed = { incoming, method: "GET", path, route: findRoute(routes, "GET", path), requestId, start }
      const routeRest = (rest: Rest) =>
        Effect.sync(() => {
          const responding = Effect.catch(rest, HttpServerRespondable.toResponse)
          countedReads.set(incoming, { requestId, start, headers: added, rest: responding })
          route()
        })
      return read(holder, plain).pipe(
        Effect.onInterrupt(() => recordRequest(observed, clientClosedRequest, context)),
        Effect.matchCauseEffect({
          onFailure: (cause) =>
            Cause.hasInterruptsOnly(cause) ? Effect.void : routeRest(orProblem(Effect.failCause(cause))),
          onSuccess: (found) => {
            if ("rest" in found) return routeRest(found.rest)
            const { body, etag } = found
            const own = ["content-type", "application/json", "content-length", `${Buffer.byteLength(body)}`]
            if (etag !== undefined) own.unshift("etag", etag)
            return Effect.map(recordRequest(observed, 200, context), () => {
              response.writeHead(200, listHeaders(own, requestId, added)).end(body)
            })
          }
        })
      )
    }

    return Effect.matchCauseEffect(admit(plain.key), {
      // The middleware meets the same failure and reports it.
      onFailure: () => Effect.sync(route),
      onSuccess: (admitted) =>
        admitted === undefined ? Effect.sync(route) : serveAdmitted(admitted.holder, admitted.added)
    })
  }
})

/**
 * Serves plain reads before the server's listener, which goes on with all other requests. Where spans are exported it serves none,
 * so that each request has its spans. It ends before the server stops listening.
 */
export const plainReadsLayer = (options: PlainReadOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (!(yield* ServesPlainReads) || (yield* Tracer.Tracer) !== Tracer.nativeTracer) return
      const beforeRouter = yield* BeforeRouter
      const serve = yield* makeServe(options)
      const fork = Effect.runForkWith(yield* Effect.context())

      const servePlainReads =
        (router: RequestListener): RequestListener =>
        (incoming, response) => {
          const route = () => router(incoming, response)
          const plain = findPlainRead(incoming, options.isProxied)
          if (plain === undefined) return route()
          const fiber = fork(serve(plain, incoming, response, route))
          if (fiber.pollUnsafe() !== undefined) return
          response.once("close", () => {
            if (!response.writableEnded) fiber.interruptUnsafe()
          })
        }
      yield* beforeRouter.listen(servePlainReads)
    })
  )
