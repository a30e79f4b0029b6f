import { Effect, Option, Redacted } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { plainSessionCookie, sessionCookie } from "../../api/Authentication.ts"
import { sessionLifetime } from "../../repo/people/sessions.ts"
import { BaseUrl } from "../BaseUrl.ts"

type Request = HttpServerRequest.HttpServerRequest

const loopback = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/

/** How a session travels where it travels by plain HTTP on this machine, and everywhere else. */
const cookieFor = (isPlain: boolean) =>
  ({
    name: isPlain ? plainSessionCookie : sessionCookie,
    // Not every browser takes Secure cookies over plain HTTP, and the other name needs Secure.
    attributes: { path: "/", httpOnly: true, secure: !isPlain, sameSite: "lax" }
  }) as const

/** Reads, sets and removes the cookie of a session. */
export const makeSessionCookie = Effect.map(BaseUrl, (baseUrl) => {
  const isLoopback = loopback.test(new URL(baseUrl).origin)
  // A proxy that terminates TLS may be on this machine too.
  const cookieOf = (request: Request) => cookieFor(isLoopback && request.protocol !== "https")
  return {
    read: (request: Request): Option.Option<Redacted.Redacted> =>
      Option.map(
        Option.filter(Option.fromNullishOr(request.cookies[cookieOf(request).name]), (token) => token !== ""),
        (token) => Redacted.make(token)
      ),
    set: (request: Request, token: Redacted.Redacted) => {
      const { name, attributes } = cookieOf(request)
      const options = { ...attributes, maxAge: sessionLifetime }
      return HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.orDie(HttpServerResponse.setCookie(response, name, Redacted.value(token), options))
      )
    },
    remove: (request: Request) => {
      const { name, attributes } = cookieOf(request)
      return HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.orDie(HttpServerResponse.expireCookie(response, name, attributes))
      )
    }
  }
})
