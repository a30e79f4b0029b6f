import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { InProcess } from "../../src/http/InProcess.ts"

/** A request that a tool sends to the API within the process. */
export interface Sent {
  readonly method: string
  readonly url: URL
}

const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g

/** The method and the path of a request, without ids. */
export const lineOf = ({ method, url }: Sent) => `${method} ${url.pathname.replaceAll(uuid, ":id")}`

/** Records the requests of tools, and runs an effect before each request is served. */
export const watchInnerRequests = () => {
  const sent: Array<Sent> = []
  let before: Effect.Effect<void> = Effect.void
  const layer = HttpRouter.middleware(
    (handler) =>
      Effect.gen(function* () {
        const { method, url } = yield* HttpServerRequest.HttpServerRequest
        if (yield* InProcess) {
          sent.push({ method, url: new URL(url, "http://service.test") })
          yield* before
        }
        return yield* handler
      }),
    { global: true }
  )
  return {
    /** Add this layer to the routes of a server. */
    layer,
    /** Returns the call's result and the requests that its tools sent. Runs `doing` before each request. */
    during: <A, E, R>(
      call: Effect.Effect<A, E, R>,
      doing: (sent: ReadonlyArray<Sent>) => Effect.Effect<void> = () => Effect.void
    ) =>
      Effect.suspend(() => {
        sent.length = 0
        before = Effect.suspend(() => doing(sent))
        return Effect.map(call, (result) => ({ result, requests: [...sent] }))
      })
  }
}
