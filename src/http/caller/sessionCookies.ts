import { Effect, Option, type Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Member } from "../../domain/people/session.ts"
import { Repo } from "../../repo/Repo.ts"
import type { CheckedPassword, LogIn, OpenedSession } from "../../repo/people/sessions.ts"
import { makeSameOrigin } from "./sameOrigin.ts"
import { makeSessionCookie } from "./sessionCookie.ts"

export const makeSessionCookies = Effect.gen(function* () {
  const { sessions } = yield* Repo
  const cookie = yield* makeSessionCookie
  const sameOrigin = yield* makeSameOrigin

  const open = Effect.fnUntraced(function* (member: Member, checked?: CheckedPassword) {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const logIn: LogIn = { userAgent: headers["user-agent"], ...(checked !== undefined && { checked }) }
    return yield* sessions.open(member, logIn)
  })

  return {
    open,
    /** The session that the browser had so far. With one, the request has to come from the service's own origin. */
    previous: Effect.gen(function* () {
      const previous = cookie.read(yield* HttpServerRequest.HttpServerRequest)
      yield* Option.isSome(previous) ? sameOrigin.required : sameOrigin.unlessUnknown
      return previous
    }),
    /**
     * Opens a session and ends the one that the browser had so far, which prevents session fixation. Runs in a
     * transaction.
     */
    replace: (previous: Option.Option<Redacted.Redacted>, member: Member, checked?: CheckedPassword) =>
      Effect.tap(open(member, checked), () =>
        Option.match(previous, { onNone: () => Effect.void, onSome: sessions.end })
      ),
    set: Effect.fnUntraced(function* ({ token }: OpenedSession) {
      yield* cookie.set(yield* HttpServerRequest.HttpServerRequest, token)
    }),
    remove: Effect.flatMap(HttpServerRequest.HttpServerRequest, cookie.remove)
  }
})
