import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { MailPosition } from "../../api/pagination.ts"
import { defaultMailLimit } from "../../domain/mail/mailDelivery.ts"
import { adminAuthority } from "../../domain/people/authority.ts"
import type { LoggedChat, LoggedMail } from "../../repo/notifications/deliveryLog.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { asData, asSession, fetchPage, refusePageNumbers } from "./shared.ts"

export const shownDelivery = <A extends LoggedChat>({ createdAt, endedAt, nextAt, ...delivery }: A) => ({
  ...delivery,
  created_at: createdAt,
  next_attempt_at: nextAt,
  ended_at: endedAt
})

const shownMail = ({ userId, ...mail }: LoggedMail) => ({ ...shownDelivery(mail), user_id: userId })

export const mailLogLayer = HttpApiBuilder.group(
  Api,
  "mail",
  Effect.fn(function* (handlers) {
    const { mailLog, whileAuthorized } = yield* Repo

    return handlers
      .handle("list", ({ query: { cursor, limit = defaultMailLimit, status = null } }) =>
        asSession(({ workspaceId }) =>
          fetchPage(
            limit,
            (count) =>
              Effect.map(mailLog.list(workspaceId, { limit: count, status, before: cursor?.before ?? null }), (found) =>
                found.map(shownMail)
              ),
            (last) => MailPosition.make({ before: last.id })
          )
        ).pipe(orProblem, (page) => Effect.andThen(refusePageNumbers, page))
      )
      .handle("resend", ({ params: { id } }) =>
        asSession((session) => whileAuthorized(adminAuthority(session), mailLog.resend(session.workspaceId, id))).pipe(
          Effect.map(shownMail),
          asData,
          orProblem
        )
      )
  })
)
