import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import * as Problem from "../../api/problems.ts"
import type { UserId } from "../../domain/ids.ts"
import type { WorkspaceMember } from "../../repo/people/members.ts"
import { adminAuthority } from "../../domain/people/authority.ts"
import { Repo } from "../../repo/Repo.ts"
import { makeSessionCookies } from "../caller/sessionCookies.ts"
import { fail, orProblem } from "../problems.ts"
import { asData, asSession, wholeList } from "./shared.ts"

const shownMember = ({ createdAt, email, mailError, name, role, userId }: WorkspaceMember) => ({
  user_id: userId,
  email,
  name,
  role,
  created_at: createdAt,
  mail_error: mailError
})

export const membersLayer = HttpApiBuilder.group(
  Api,
  "members",
  Effect.fn(function* (handlers) {
    const { members } = yield* Repo
    const cookies = yield* makeSessionCookies

    const remove = Effect.fnUntraced(function* (userId: UserId, revokesKeys: boolean) {
      const caller = yield* CurrentSession
      const isOwn = caller.userId === userId
      if (!isOwn && caller.role !== "admin") {
        return yield* fail(Problem.InsufficientRole, { detail: "This needs the role admin" })
      }
      const by = isOwn ? {} : { by: adminAuthority(caller) }
      const member = { userId, workspaceId: caller.workspaceId }
      const revoked = yield* orProblem(members.remove(member, { ...by, revokesKeys }))
      if (isOwn) yield* cookies.remove
      return { user_id: userId, deleted: true as const, revoked_keys: revoked }
    })

    return handlers
      .handle("list", () =>
        asSession(({ workspaceId }) => members.list(workspaceId)).pipe(
          Effect.map((found) => found.map(shownMember)),
          asData,
          orProblem,
          wholeList
        )
      )
      .handle("update", ({ params: { user_id: userId }, payload: { role } }) =>
        asSession((session) =>
          members.changeRole({ userId, workspaceId: session.workspaceId }, role, adminAuthority(session))
        ).pipe(Effect.map(shownMember), asData, orProblem)
      )
      .handle("remove", ({ params, query }) => asData(remove(params.user_id, query.revoke_keys === "true")))
  })
)
