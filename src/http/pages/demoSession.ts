import { DateTime, Effect, Layer, Option } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { namesLoopback } from "../caller/loopbackHost.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookies } from "../caller/sessionCookies.ts"
import { orProblem } from "../problems.ts"

/** Logs a person in as the demo's user without a password, if the request comes from this machine. */
export const demoSessionLayer = ({ baseUrl, email }: { readonly baseUrl: string; readonly email: string }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { transaction, users } = yield* Repo
      const cookies = yield* makeSessionCookies
      const sameOrigin = yield* makeSameOrigin
      const notFound = HttpServerResponse.empty({ status: 404 })

      const logIn = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        if (!namesLoopback(request)) return notFound
        yield* sameOrigin.required
        const previous = yield* cookies.previous
        const user = Option.getOrUndefined(yield* orProblem(users.find(email)))
        const [workspaceId] = user?.workspaceIds ?? []
        if (user === undefined || workspaceId === undefined) return notFound
        const opened = yield* cookies.replace(previous, { userId: user.id, workspaceId }).pipe(transaction, orProblem)
        yield* cookies.set(opened)
        const expires_at = DateTime.formatIso(opened.expiresAt)
        const data = { user_id: user.id, email, workspace_id: workspaceId, role: opened.role, expires_at }
        return HttpServerResponse.jsonUnsafe({ data })
      }, Effect.catch(HttpServerRespondable.toResponse))

      return HttpRouter.add("POST", "/sandbox/session", logIn)
    })
  ).pipe(Layer.provide(Layer.succeed(BaseUrl, baseUrl)))
