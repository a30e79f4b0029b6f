import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import * as Problem from "../../api/problems.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { Member } from "../../domain/session.ts"
import { Repo } from "../../repo/Repo.ts"
import type { User } from "../../repo/people/users.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"
import { fail, orProblem } from "../problems.ts"
import { retryAfter } from "../responseHeaders.ts"
import { asData } from "./shared.ts"

const maxWrongPasswordsPerMinute = 10

interface Credentials {
  readonly email: string
  readonly password: string
  readonly workspace_id?: WorkspaceId
}

/** The requested workspace, or else the user's first. */
const chooseWorkspace = Effect.fnUntraced(function* ({ workspaceIds }: User, requested: WorkspaceId | undefined) {
  const [first] = workspaceIds
  if (first === undefined) {
    return yield* fail(Problem.Unauthorized, { detail: "This user is not a member of any workspace" })
  }
  if (requested === undefined || workspaceIds.includes(requested)) return requested ?? first
  const message = "This user is not a member of such a workspace"
  return yield* fail(Problem.InvalidRequest, { detail: message, errors: [{ path: ["workspace_id"], message }] })
})

export const sessionsLayer = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fn(function* (handlers) {
    const { sessions, transaction, users } = yield* Repo
    const cookie = yield* makeSessionCookie
    const sameOrigin = yield* makeSameOrigin
    const failedAttempts = makeAddressLimit({ perMinute: maxWrongPasswordsPerMinute })

    const authenticate = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
      { email, password }: Credentials
    ) {
      const wait = yield* failedAttempts.wait(request)
      if (Option.isSome(wait)) {
        yield* retryAfter(wait.value)
        return yield* fail(Problem.RateLimited, { detail: "Too many wrong passwords came from this address" })
      }
      // Counted before the check and refunded after it: a check takes time, and many attempts may arrive at once.
      const refund = yield* failedAttempts.reserve(request)
      return yield* users.authenticate(email, Redacted.make(password)).pipe(
        Effect.tap(() => refund),
        Effect.tapErrorTag(["DatabaseUnavailable", "PasswordsBusy"], () => refund),
        orProblem
      )
    })

    /** Prevents session fixation: log-in ends any session that the browser brought along. */
    const openSession = (previous: Option.Option<Redacted.Redacted>, member: Member) =>
      sessions.open(member).pipe(
        Effect.tap(() => Option.match(previous, { onNone: () => Effect.void, onSome: sessions.end })),
        transaction,
        orProblem
      )

    const logIn = Effect.fn("logIn")(function* (credentials: Credentials) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const previous = cookie.read(request)
      yield* Option.isSome(previous) ? sameOrigin.required : sameOrigin.unlessUnknown
      const user = yield* authenticate(request, credentials)
      const workspaceId = yield* chooseWorkspace(user, credentials.workspace_id)
      const { token, expiresAt } = yield* openSession(previous, { userId: user.id, workspaceId })
      yield* cookie.set(request, token)
      return { user_id: user.id, email: user.email, workspace_id: workspaceId, expires_at: expiresAt }
    })

    const logOut = Effect.fnUntraced(function* (everywhere: boolean) {
      const { token, userId } = yield* CurrentSession
      yield* orProblem(everywhere ? sessions.endAll(userId) : sessions.end(token))
      yield* cookie.remove(yield* HttpServerRequest.HttpServerRequest)
      return { deleted: true as const }
    })

    return handlers
      .handle("logIn", ({ payload }) => asData(logIn(payload)))
      .handle("logOut", ({ query }) => asData(logOut(query.everywhere === "true")))
  })
)
