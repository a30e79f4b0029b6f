import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentCaller } from "../../api/Authentication.ts"
import { NotificationPosition } from "../../api/pagination.ts"
import { defaultKeyLimit, defaultSessionLimit } from "../../api/Notifications.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { NotificationLevel } from "../../domain/notification.ts"
import type { Member } from "../../domain/people/session.ts"
import { Repo } from "../../repo/Repo.ts"
import { failInvalid, orProblem } from "../problems.ts"
import { ListBudget } from "./ListBudget.ts"
import { asData, asSession, fetchPage, refusePaging } from "./shared.ts"

interface ListQuery {
  readonly level?: NotificationLevel
  readonly unread?: "true" | "false"
  readonly page?: number
  readonly limit?: number
  readonly cursor?: typeof NotificationPosition.Type
}

export const notificationsLayer = HttpApiBuilder.group(
  Api,
  "notifications",
  Effect.fn(function* (handlers) {
    const { notifications } = yield* Repo
    const { inPageTurn } = yield* ListBudget

    const listByNumber = Effect.fnUntraced(function* (
      workspaceId: WorkspaceId,
      { cursor, level, page = 0, limit = defaultKeyLimit, unread }: ListQuery
    ) {
      if (cursor !== undefined) {
        return yield* failInvalid([{ path: ["cursor"], message: "With an API key, pages go by number: use page" }])
      }
      const { data, total } = yield* orProblem(
        inPageTurn(workspaceId)(notifications.page(workspaceId, page, limit, { level, unread: unread === "true" }))
      )
      return { data, total, page, limit, hasMore: (page + 1) * limit < total }
    })

    const listByCursor = Effect.fnUntraced(function* (
      member: Member,
      { cursor, level, page, limit = defaultSessionLimit, unread }: ListQuery
    ) {
      if (page !== undefined) {
        const message = "With a session, pages go by cursor: use the next_cursor of the previous page"
        return yield* failInvalid([{ path: ["page"], message }])
      }
      const before = cursor?.before ?? null
      const { data, next_cursor } = yield* fetchPage(
        limit,
        (count) =>
          inPageTurn(member.workspaceId)(
            notifications.listFor(member, { limit: count, before, level, unread: unread === "true" })
          ),
        (last) => NotificationPosition.make({ before: last.id })
      ).pipe(orProblem)
      return { data, next_cursor, hasMore: next_cursor !== null }
    })

    const listNotifications = Effect.fn("listNotifications")(function* (query: ListQuery) {
      yield* refusePaging(["offset"], "There are no offsets: use page with an API key, and cursor with a session")
      const caller = yield* CurrentCaller
      return caller._tag === "Key"
        ? yield* listByNumber(caller.holder.workspaceId, query)
        : yield* listByCursor(caller.holder, query)
    })

    return handlers
      .handle("list", ({ query }) => listNotifications(query))
      .handle("read", ({ params: { id } }) =>
        asSession((session) => notifications.markRead(session, id)).pipe(asData, orProblem)
      )
      .handle("readAll", () =>
        asSession((session) => notifications.markAllRead(session)).pipe(
          Effect.map((updated) => ({ updated })),
          asData,
          orProblem
        )
      )
  })
)
