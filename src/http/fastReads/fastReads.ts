import { Cause, Clock, Context, Effect, Exit, Layer, Option, type Scope, Tracer } from "effect"
import { type HttpServerRequest, HttpServerRespondable, type HttpServerResponse } from "effect/http"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { DatabaseUnavailable, ListsBusy, NotFound } from "../../domain/errors.ts"
import type { PostId } from "../../domain/ids.ts"
import { hasScope, type KeyHolder } from "../../domain/people/apiKey.ts"
import { isDone } from "../../repo/isDone.ts"
import type { PostJson } from "../../repo/posts/rows.ts"
import { Repo } from "../../repo/Repo.ts"
import { makePostList, makeReadFirst } from "../handlers/postList.ts"
import { newestPosts } from "../handlers/postPages.ts"
import { onePostJson } from "../handlers/shared.ts"
import { makeCountKeyRequest } from "../middleware/rateLimit.ts"
import { BeforeRouter, type RequestListener } from "../node/nodeServer.ts"
import { orProblem } from "../problems.ts"
import { chooseRequestId } from "../RequestId.ts"
import { clientClosedRequest, findRoute, type Observed, recordRequest } from "../router/requestLog.ts"
import { countedReads, defaultHeaders, makeHeaderList } from "../router/responses.ts"
import { RouteTable } from "../router/RouteTable.ts"
import { findFastRead, type FastRead } from "./findFastRead.ts"

export interface FastReadOptions {
  readonly rateLimitPerMinute: number
  readonly hsts: boolean
  readonly isProxied: boolean
}

export const ServesFastReads = Context.Reference<boolean>("social-publisher/http/ServesFastReads", {
  defaultValue: () => true
})

type Rest = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  HttpServerRespondable.Respondable,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

interface Admitted {
  readonly observed: Observed
  readonly holder: KeyHolder
  readonly added: Readonly<Record<string, string>>
  readonly response: ServerResponse
  readonly route: () => void
}

/** Passes a counted read to the router, because its response can't be sent here in one piece. */
const routeRest = ({ added, observed: { incoming, requestId, start }, route }: Admitted, rest: Rest) => {
  const responding = Effect.catch(rest, HttpServerRespondable.toResponse)
  countedReads.set(incoming, { requestId, start, headers: added, rest: responding })
  route()
}

/** Runs `sending`. Passes a defect to the router, so that it does not affect the batch's other reads. */
const orRouteDefect = (admitted: Admitted, sending: () => void) => {
  try {
    sending()
  } catch (defect) {
    routeRest(admitted, Effect.die(defect))
  }
}

/** Caches the two route templates, because looking them up takes longer. */
const makeRouteOf = (routes: RouteTable["Service"]) => {
  let post: string | undefined
  let page: string | undefined
  return ({ id, path }: FastRead): string =>
    id === null ? (page ??= findRoute(routes, "GET", path)) : (post ??= findRoute(routes, "GET", path))
}

const makeServe = Effect.fnUntraced(function* ({ hsts, rateLimitPerMinute }: FastReadOptions) {
  const { apiKeys, posts } = yield* Repo
  const countRequest = yield* makeCountKeyRequest(rateLimitPerMinute)
  const respondWithList = yield* makePostList
  const readFirst = yield* makeReadFirst
  const routeOf = makeRouteOf(yield* RouteTable)
  const context = yield* Effect.context()
  const clock = Context.get(context, Clock.Clock)
  const fork = Effect.runForkWith(context)
  const headersOf = makeHeaderList(defaultHeaders(hsts))

  const send = ({ added, observed, response }: Admitted, body: string | Uint8Array, etag?: string) => {
    const own = ["content-type", "application/json", "content-length", `${Buffer.byteLength(body)}`]
    if (etag !== undefined) own.unshift("etag", etag)
    response.writeHead(200, headersOf(own, observed.requestId, added))
    recordRequest(observed, 200, context)
    response.end(body)
  }

  /** Calls `leave` and records a 499 if the client leaves before its response. */
  const whenClientLeaves = ({ observed, response }: Admitted, leave: () => void) => {
    response.on("close", () => {
      if (response.writableEnded || countedReads.has(observed.incoming)) return
      leave()
      recordRequest(observed, clientClosedRequest, context)
    })
  }

  const runRead = <A>(
    admitted: Admitted,
    read: Effect.Effect<A, NotFound | DatabaseUnavailable | ListsBusy>,
    sendRead: (read: A) => void
  ) => {
    const fiber = fork(
      Effect.matchCauseEffect(read, {
        onFailure: (cause) =>
          Effect.sync(() => {
            if (!Cause.hasInterruptsOnly(cause)) routeRest(admitted, orProblem(Effect.failCause(cause)))
          }),
        onSuccess: (found) => Effect.sync(() => orRouteDefect(admitted, () => sendRead(found)))
      })
    )
    return () => fiber.interruptUnsafe()
  }

  const readPost = (admitted: Admitted, id: PostId) => {
    const sendPost = (post: PostJson) => {
      const { body, headers } = onePostJson(post)
      send(admitted, body, headers.etag)
    }
    let leaveRead: (() => void) | undefined
    const leaveBatch = posts.askJson(admitted.holder.workspaceId, id, context, (found) => {
      if (admitted.response.closed) return
      if (isDone(found) && Exit.isSuccess(found)) orRouteDefect(admitted, () => sendPost(found.value))
      else leaveRead = runRead(admitted, found, sendPost)
    })
    whenClientLeaves(admitted, () => {
      leaveBatch()
      leaveRead?.()
    })
  }

  const readPage = (admitted: Admitted, limit: number | undefined) => {
    const list = newestPosts(posts, admitted.holder.workspaceId, limit === undefined ? {} : { limit })
    const leave = runRead(admitted, readFirst(list), (first) => {
      if (first.next === undefined) send(admitted, first.bytes)
      else routeRest(admitted, respondWithList(list, first))
    })
    whenClientLeaves(admitted, leave)
  }

  return (read: FastRead, incoming: IncomingMessage, response: ServerResponse, route: () => void) => {
    const start = clock.monotonicTimeNanosUnsafe()

    const serveHolder = (found: Option.Option<KeyHolder>) => {
      const holder = Option.getOrUndefined(found)
      if (holder === undefined || !hasScope(holder.scopes, "posts:read")) return route()
      const { id, limit, path } = read
      const requestId = chooseRequestId(incoming.headers)
      const observed = { incoming, method: "GET", path, route: routeOf(read), requestId, start }
      // The client may have left during the look-up of the key.
      if (response.closed) return recordRequest(observed, clientClosedRequest, context)
      const added = countRequest(holder.workspaceId)
      if (added === undefined) return route()
      const admitted = { observed, holder, added, response, route }
      if (id === null) readPage(admitted, limit)
      else readPost(admitted, id)
    }

    const known = apiKeys.findKnown(read.key)
    if (isDone(known) && Exit.isSuccess(known)) return serveHolder(known.value)
    fork(
      Effect.matchCause(known, {
        // The router looks the key up again, fails the same way, and reports the failure.
        onFailure: route,
        onSuccess: serveHolder
      })
    )
  }
})

/**
 * Serves fast reads before the router's listener, and passes all other requests on. Serves none if spans are exported,
 * or once the server stops.
 */
export const fastReadsLayer = (options: FastReadOptions) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if (!(yield* ServesFastReads) || (yield* Tracer.Tracer) !== Tracer.nativeTracer) return
      const beforeRouter = yield* BeforeRouter
      const serve = yield* makeServe(options)

      const serveFastReads =
        (router: RequestListener): RequestListener =>
        (incoming, response) => {
          const route = () => router(incoming, response)
          const read = findFastRead(incoming, options.isProxied)
          if (read === undefined) return route()
          serve(read, incoming, response, route)
        }
      yield* beforeRouter.listen(serveFastReads)
    })
  )
