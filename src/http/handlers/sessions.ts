import { Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import * as Problem from "../../api/problems.ts"
import { InvalidRequest } from "../../domain/errors.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import { Repo } from "../../repo/Repo.ts"
import type { User } from "../../repo/people/users.ts"
import { makeSessionCookies } from "../caller/sessionCookies.ts"
import { fail, orProblem } from "../problems.ts"
import { PasswordAttempts } from "./PasswordAttempts.ts"
import { asData } from "./shared.ts"

interface Credentials {
  readonly email: string
  readonly password: string
  readonly workspace_id?: WorkspaceId
}

interface PasswordChange {
  readonly current_password: string
  readonly new_password: string
}

const invalidMember = (name: string, message: string) =>
  new InvalidRequest({ message, errors: [{ path: [name], message }] })

const foreignWorkspace = invalidMember("workspace_id", "This user is not a member of a workspace with this id")
const wrongPassword = invalidMember("current_password", "This is not the current password")

const chooseWorkspace = Effect.fnUntraced(function* ({ workspaceIds }: User, requested: WorkspaceId | undefined) {
  const [first] = workspaceIds
  if (first === undefined) {
    return yield* fail(Problem.NoWorkspace, { detail: "This user is not a member of any workspace" })
  }
  if (requested === undefined || workspaceIds.includes(requested)) return requested ?? first
  return yield* orProblem(foreignWorkspace)
})

export const sessionsLayer = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fn(function* (handlers) {
    const { sessions, transaction, users } = yield* Repo
    const cookies = yield* makeSessionCookies
    const attempts = yield* PasswordAttempts

    const logIn = Effect.fn("logIn")(function* (credentials: Credentials) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const previous = yield* cookies.previous
      const user = yield* attempts
        .limit(request, Option.none(), users.authenticate(credentials.email, Redacted.make(credentials.password)))
        .pipe(orProblem)
      const workspaceId = yield* chooseWorkspace(user, credentials.workspace_id)
      const opened = yield* cookies
        .replace(previous, { userId: user.id, workspaceId }, user.checked)
        .pipe(transaction, orProblem)
      yield* cookies.set(opened)
      const { expiresAt, role } = opened
      return { user_id: user.id, email: user.email, workspace_id: workspaceId, role, expires_at: expiresAt }
    })

    const logOut = Effect.fnUntraced(function* (everywhere: boolean) {
      const { token, userId } = yield* CurrentSession
      yield* orProblem(everywhere ? sessions.endAll(userId) : sessions.end(token))
      yield* cookies.remove
      return { deleted: true as const }
    })

    const changeWorkspace = Effect.fn("changeWorkspace")(function* (workspaceId: WorkspaceId) {
      const { token, userId } = yield* CurrentSession
      const opened = yield* sessions.move(token, { userId, workspaceId }).pipe(
        Effect.catchTag("NotMember", () => foreignWorkspace),
        orProblem
      )
      yield* cookies.set(opened)
      const { email, expiresAt, role } = opened
      return { user_id: userId, email, workspace_id: workspaceId, role, expires_at: expiresAt }
    })

    const changePassword = Effect.fn("changePassword")(function* (change: PasswordChange) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { userId, workspaceId } = yield* CurrentSession
      const check = users.changePassword(
        userId,
        Redacted.make(change.current_password),
        Redacted.make(change.new_password)
      )
      const checked = yield* attempts.limit(request, Option.some(userId), check).pipe(
        Effect.catchTag("WrongCredentials", () => wrongPassword),
        orProblem
      )
      yield* cookies.set(yield* orProblem(cookies.open({ userId, workspaceId }, checked)))
      return { changed: true as const }
    })

    return handlers
      .handle("logIn", ({ payload }) => asData(logIn(payload)))
      .handle("logOut", ({ query }) => asData(logOut(query.everywhere === "true")))
      .handle("changeWorkspace", ({ payload }) => asData(changeWorkspace(payload.workspace_id)))
      .handle("changePassword", ({ payload }) => asData(changePassword(payload)))
  })
)
