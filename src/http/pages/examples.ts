import { Effect, Layer } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import type { DatabaseUnavailable, InvalidState } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { namesLoopback } from "../caller/loopbackHost.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { orProblem } from "../problems.ts"

interface ExamplesOptions<R> {
  readonly baseUrl: string
  /** `workspaceId` is null if there is no demo. */
  readonly count: Effect.Effect<
    { readonly workspaceId: WorkspaceId | null; readonly posts: number },
    DatabaseUnavailable,
    R
  >
  readonly clear: Effect.Effect<number, InvalidState | DatabaseUnavailable, R>
}

/** Only a page on this machine can request this. */
export const examplesLayer = <R>({ baseUrl, clear, count }: ExamplesOptions<R>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const sameOrigin = yield* makeSameOrigin
      const notFound = HttpServerResponse.empty({ status: 404 })

      const show = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!namesLoopback(request)) return notFound
        const { posts, workspaceId } = yield* orProblem(count)
        return HttpServerResponse.jsonUnsafe({ data: { workspace_id: workspaceId, posts } })
      }, Effect.catch(HttpServerRespondable.toResponse))

      const remove = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!namesLoopback(request)) return notFound
        yield* sameOrigin.required
        return HttpServerResponse.jsonUnsafe({ data: { deleted: yield* orProblem(clear) } })
      }, Effect.catch(HttpServerRespondable.toResponse))

      return Layer.merge(
        HttpRouter.add("GET", "/sandbox/examples", show),
        HttpRouter.add("DELETE", "/sandbox/examples", remove)
      )
    })
  ).pipe(Layer.provide(Layer.succeed(BaseUrl, baseUrl)))
