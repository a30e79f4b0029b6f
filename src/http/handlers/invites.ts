import { Duration, Effect, Option, Redacted, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import type { SessionCaller } from "../../api/Authentication.ts"
import { adminAuthority } from "../../domain/people/authority.ts"
import { LoginRequired } from "../../domain/errors.ts"
import type { Role } from "../../domain/people/role.ts"
import { NewPassword, newPasswordRule } from "../../domain/people/session.ts"
import { CurrentMailer } from "../../mail/CurrentMailer.ts"
import { inviteMail } from "../../mail/inviteMail.ts"
import { type Invite, unknownInvite } from "../../repo/people/invites.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { failuresWith, makeAttemptLimit } from "../caller/attemptLimit.ts"
import { makeSessionCookies } from "../caller/sessionCookies.ts"
import { failInvalid, orProblem } from "../problems.ts"
import { PasswordAttempts } from "./PasswordAttempts.ts"
import { asData, asSession, wholeList } from "./shared.ts"

const maxUnknownPerMinute = 10

/** Each workspace has its own count. The limit keeps people from filling somebody's mailbox. */
const maxMailsPerMinute = 5

/** The person who invites waits for the mail server this long. */
const mailTimeout = Duration.seconds(10)

const unknownOnes = failuresWith(unknownInvite._tag, "Too many unknown invitations were asked for from this address")

const isNewPassword = Schema.is(NewPassword)

const shownInvite = ({ createdAt, createdBy, email, expiresAt, id, role }: Invite) => ({
  id,
  email,
  role,
  created_at: createdAt,
  created_by: createdBy,
  expires_at: expiresAt
})

interface Acceptance {
  readonly token: string
  readonly password?: string
}

export const invitesLayer = HttpApiBuilder.group(
  Api,
  "invites",
  Effect.fn(function* (handlers) {
    const { invites, sessions, transaction, users, whileAuthorized, workspaces } = yield* Repo
    const mailer = yield* CurrentMailer
    const baseUrl = yield* BaseUrl
    const cookies = yield* makeSessionCookies
    const attempts = yield* PasswordAttempts
    const unknownTokens = makeAddressLimit({ perMinute: maxUnknownPerMinute })

    const find = Effect.fnUntraced(function* (token: Redacted.Redacted) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const known = Effect.flatMap(
        invites.find(token),
        Option.match({ onNone: () => Effect.fail(unknownInvite), onSome: Effect.succeed })
      )
      return yield* unknownTokens.run(request, known, unknownOnes)
    })

    const read = Effect.fnUntraced(function* (token: string) {
      const { email, role, workspaceName } = yield* find(Redacted.make(token))
      return { email, role, workspace_name: workspaceName, has_user: false }
    })

    const acceptAs = <S, E, R>(
      token: Redacted.Redacted,
      invited: Parameters<typeof invites.accept>[1],
      open: (member: Effect.Success<ReturnType<typeof invites.accept>>) => Effect.Effect<S, E, R>
    ) =>
      transaction(
        Effect.flatMap(invites.accept(token, invited), (member) =>
          Effect.map(open(member), (session) => ({ member, session }))
        )
      )

    const accept = Effect.fn("acceptInvite")(function* ({ password, token: text }: Acceptance) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const token = Redacted.make(text)
      const previous = yield* cookies.previous
      const { email, userId } = yield* orProblem(find(token))

      const session = Option.isSome(previous) ? yield* orProblem(sessions.find(previous.value)) : Option.none()
      if (Option.isSome(previous) && Option.isSome(session) && session.value.userId === userId) {
        return yield* orProblem(acceptAs(token, { userId }, (member) => sessions.move(previous.value, member)))
      }

      // The response does not depend on the existence of a user. Otherwise the link's creator could find out who has
      // one.
      if (password === undefined) return yield* orProblem(LoginRequired.as(email))
      if (!isNewPassword(password)) {
        return yield* failInvalid([{ path: ["password"], message: `Expected ${newPasswordRule}` }])
      }
      if (userId === null) {
        const passwordHash = yield* orProblem(users.hashPassword(Redacted.make(password)))
        return yield* orProblem(acceptAs(token, { passwordHash }, (member) => cookies.replace(previous, member)))
      }

      const user = yield* attempts
        .limit(request, Option.some(userId), users.authenticate(email, Redacted.make(password)))
        .pipe(orProblem)
      return yield* orProblem(
        acceptAs(token, { userId: user.id }, (member) => cookies.replace(previous, member, user.checked))
      )
    })

    const mails = makeAttemptLimit({ perMinute: maxMailsPerMinute })

    /** True once the mail server has accepted the message. The link is shown in any case. */
    const mailInvite = Effect.fnUntraced(
      function* ({ createdBy, email: to, id, role }: Invite, { workspaceId }: SessionCaller, url: string) {
        if (Option.isNone(mailer) || Option.isSome(yield* mails.wait(() => workspaceId))) return false
        yield* mails.count(workspaceId)
        const { domain, send } = mailer.value
        const workspaceName = yield* workspaces.nameOf(workspaceId)
        const messageId = `invitation.${id}@${domain}`
        const invitedBy = createdBy?.name ?? null
        yield* send(inviteMail({ messageId, to, role, workspaceName, invitedBy, url })).pipe(
          Effect.timeout(mailTimeout)
        )
        return true
      },
      Effect.orElseSucceed(() => false)
    )

    const create = Effect.fn("createInvite")(function* (session: SessionCaller, email: string, role: Role) {
      const { invite, token } = yield* orProblem(invites.create(session, email, role))
      // The token is in the fragment, which browsers send to no server.
      const url = `${baseUrl}/invite#${Redacted.value(token)}`
      return { data: shownInvite(invite), url: Redacted.make(url), mailed: yield* mailInvite(invite, session, url) }
    })

    return handlers
      .handle("list", () =>
        asSession(({ workspaceId }) => invites.list(workspaceId)).pipe(
          Effect.map((found) => found.map(shownInvite)),
          asData,
          orProblem,
          wholeList
        )
      )
      .handle("create", ({ payload: { email, role } }) => asSession((session) => create(session, email, role)))
      .handle("delete", ({ params: { id } }) =>
        asSession((session) => whileAuthorized(adminAuthority(session), invites.remove(session.workspaceId, id))).pipe(
          Effect.as({ id, deleted: true as const }),
          asData,
          orProblem
        )
      )
      .handle("read", ({ payload }) => asData(orProblem(read(payload.token))))
      .handle("accept", ({ payload }) =>
        accept(payload).pipe(
          Effect.tap((opened) => cookies.set(opened.session)),
          Effect.map(({ member, session }) => ({
            user_id: member.userId,
            email: member.email,
            workspace_id: member.workspaceId,
            role: session.role,
            expires_at: session.expiresAt
          })),
          asData
        )
      )
  })
)
