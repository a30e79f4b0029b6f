import { Effect, Option, Redacted } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { plainSessionCookie, sessionCookie } from "../../api/Authentication.ts"
import { isLoopback } from "../../domain/plain/loopback.ts"
import { sessionLifetime } from "../../domain/people/session.ts"
import { BaseUrl } from "../BaseUrl.ts"

type Request = HttpServerRequest.HttpServerRequest

const cookieSettings = (isUnencrypted: boolean) =>
  ({
    name: isUnencrypted ? plainSessionCookie : sessionCookie,
    // The __Host- prefix requires Secure. Some browsers refuse Secure cookies over plain HTTP, so there both are left
    // out.
    attributes: { path: "/", httpOnly: true, secure: !isUnencrypted, sameSite: "lax" }
  }) as const

/** Over plain HTTP, which is for loopback addresses only, the cookie has another name. */
export const makeSessionCookie = Effect.map(BaseUrl, (baseUrl) => {
  const { hostname, protocol } = new URL(baseUrl)
  const isUnencrypted = protocol === "http:" && isLoopback(hostname)
  // A proxy on this machine may handle TLS, so a loopback address alone does not mean plain HTTP.
  const chooseSettings = (request: Request) => cookieSettings(isUnencrypted && request.protocol !== "https")
  return {
    read: (request: Request): Option.Option<Redacted.Redacted> =>
      Option.map(
        Option.filter(Option.fromNullishOr(request.cookies[chooseSettings(request).name]), (token) => token !== ""),
        (token) => Redacted.make(token)
      ),
    set: (request: Request, token: Redacted.Redacted) => {
      const { name, attributes } = chooseSettings(request)
      const options = { ...attributes, maxAge: sessionLifetime }
      return HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.orDie(HttpServerResponse.setCookie(response, name, Redacted.value(token), options))
      )
    },
    remove: (request: Request) => {
      const { name, attributes } = chooseSettings(request)
      return HttpEffect.appendPreResponseHandler((_request, response) =>
        Effect.orDie(HttpServerResponse.expireCookie(response, name, attributes))
      )
    }
  }
})
