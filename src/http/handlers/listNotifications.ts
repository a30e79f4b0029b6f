import { Effect } from "effect"
import { CurrentCaller } from "../../api/Authentication.ts"
import { NotificationPosition } from "../../api/pagination.ts"
import { InvalidRequest } from "../../api/problems.ts"
import { defaultKeyLimit, defaultSessionLimit } from "../../api/Notifications.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import type { SessionHolder } from "../../domain/session.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { RequestId } from "../RequestId.ts"

interface Query {
  readonly page?: number
  readonly limit?: number
  readonly cursor?: typeof NotificationPosition.Type
}

const refuse = (parameter: keyof Query, message: string) =>
  Effect.flatMap(RequestId, (request_id) =>
    Effect.fail(
      new InvalidRequest({
        detail: `${parameter}: ${message}`,
        errors: [{ path: [parameter], message }],
        request_id
      })
    )
  )

/** A page of notifications, newest first: by number with a key, by cursor with a session. */
export const makeListNotifications = Effect.gen(function* () {
  const { notifications } = yield* Repo

  const byNumber = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    { cursor, page = 0, limit = defaultKeyLimit }: Query
  ) {
    if (cursor !== undefined) return yield* refuse("cursor", "With a key pages go by number: use page")
    const { data, total } = yield* orProblem(notifications.page(workspaceId, page, limit))
    return { data, total, page, limit, hasMore: (page + 1) * limit < total }
  })

  const byCursor = Effect.fnUntraced(function* (
    member: SessionHolder,
    { cursor, page, limit = defaultSessionLimit }: Query
  ) {
    if (page !== undefined)
      return yield* refuse("page", "With a session pages go by cursor: use the next_cursor before")
    // One more than asked for tells whether there is a next page.
    const found = yield* orProblem(notifications.listFor(member, { limit: limit + 1, before: cursor?.before ?? null }))
    const data = found.slice(0, limit)
    const last = data.at(-1)
    const hasMore = found.length > limit
    const next_cursor = hasMore && last !== undefined ? NotificationPosition.make({ before: last.id }) : null
    return { data, next_cursor, hasMore }
  })

  return Effect.fn("listNotifications")(function* (query: Query) {
    const caller = yield* CurrentCaller
    return caller._tag === "Key"
      ? yield* byNumber(caller.holder.workspaceId, query)
      : yield* byCursor(caller.holder, query)
  })
})
