import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { InvalidRequest, RateLimited, Unauthorized } from "../../api/problems.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { SessionHolder } from "../../domain/session.ts"
import { Repo } from "../../repo/Repo.ts"
import type { User } from "../../repo/people/users.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { retryAfter } from "../responseHeaders.ts"
import { orProblem } from "../problems.ts"
import { RequestId } from "../RequestId.ts"
import { makeSameOrigin } from "../caller/sameOrigin.ts"
import { makeSessionCookie } from "../caller/sessionCookie.ts"

/** How many wrong passwords an address may send in a minute. */
const wrongPerMinute = 10

interface Credentials {
  readonly email: string
  readonly password: string
  readonly workspace_id?: WorkspaceId
}

const unauthorized = (detail: string) =>
  Effect.flatMap(RequestId, (request_id) => Effect.fail(new Unauthorized({ detail, request_id })))

/** The workspace that a session is to be in: the one that was named, or the user's first. */
const workspaceOf = Effect.fnUntraced(function* ({ workspaceIds }: User, asked: WorkspaceId | undefined) {
  const [first] = workspaceIds
  if (first === undefined) return yield* unauthorized("This user is no member of any workspace")
  if (asked === undefined || workspaceIds.includes(asked)) return asked ?? first
  const message = "This user is no member of such a workspace"
  return yield* new InvalidRequest({
    detail: message,
    errors: [{ path: ["workspace_id"], message }],
    request_id: yield* RequestId
  })
})

/** Opens a session for an email address and its password, in place of the one that the request carries. */
export const makeLogIn = Effect.gen(function* () {
  const { sessions, transaction, users } = yield* Repo
  const cookie = yield* makeSessionCookie
  const sameOrigin = yield* makeSameOrigin
  const addresses = makeAddressLimit({ perMinute: wrongPerMinute })

  const authenticate = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    { email, password }: Credentials
  ) {
    const wait = yield* addresses.wait(request)
    if (Option.isSome(wait)) {
      yield* retryAfter(wait.value)
      const detail = "Too many wrong passwords came from this address"
      return yield* new RateLimited({ detail, request_id: yield* RequestId })
    }
    // Counted before it is known to be wrong: passwords take time to check, and many may come at once.
    yield* addresses.count(request)
    return yield* users.authenticate(email, Redacted.make(password)).pipe(
      Effect.tap(() => addresses.forgive(request)),
      Effect.catchTags({
        WrongCredentials: ({ message }) => unauthorized(message)
      }),
      Effect.catchTag(["DatabaseUnavailable", "PasswordsBusy"], (error) =>
        Effect.andThen(addresses.forgive(request), orProblem(Effect.fail(error)))
      )
    )
  })

  /** Nobody can have given a session to the browser before log-in and know the one after it. */
  const replace = (before: Option.Option<Redacted.Redacted>, holder: SessionHolder) =>
    sessions.open(holder).pipe(
      Effect.tap(() => Option.match(before, { onNone: () => Effect.void, onSome: sessions.end })),
      transaction,
      orProblem
    )

  return Effect.fn("logIn")(function* (credentials: Credentials) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const before = cookie.read(request)
    yield* Option.isSome(before) ? sameOrigin.required : sameOrigin.unlessUnknown
    const user = yield* authenticate(request, credentials)
    const workspaceId = yield* workspaceOf(user, credentials.workspace_id)
    const { token, expiresAt } = yield* replace(before, { userId: user.id, workspaceId })
    yield* cookie.set(request, token)
    return { user_id: user.id, email: user.email, workspace_id: workspaceId, expires_at: expiresAt }
  })
})
