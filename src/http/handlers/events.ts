import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { defaultEventLimit } from "../../api/webhooks/Events.ts"
import { EventPosition, HistoryPosition } from "../../api/pagination.ts"
import { Repo } from "../../repo/Repo.ts"
import { orProblem } from "../problems.ts"
import { ListBudget } from "./ListBudget.ts"
import { fetchPage, inWorkspace, refusePageNumbers } from "./shared.ts"

export const eventsLayer = HttpApiBuilder.group(
  Api,
  "events",
  Effect.fn(function* (handlers) {
    const { events } = yield* Repo
    const { inTurn } = yield* ListBudget
    return handlers
      .handle("list", ({ query: { after, by_key, cursor, limit = defaultEventLimit, post_id, type } }) =>
        inWorkspace((workspaceId) =>
          fetchPage(
            limit,
            (count) =>
              inTurn(workspaceId)(
                events.list(workspaceId, {
                  limit: count,
                  postId: post_id ?? null,
                  type: type ?? null,
                  byKey: by_key ?? null,
                  after: after === undefined ? null : Number(after),
                  before: cursor === undefined ? null : { position: cursor.before, id: cursor.id ?? null }
                })
              ),
            ({ id, position }) => EventPosition.make({ before: position, id })
          )
        ).pipe(orProblem, (page) => Effect.andThen(refusePageNumbers, page))
      )
      .handle("history", ({ params: { id }, query: { cursor, limit = defaultEventLimit } }) =>
        inWorkspace((workspaceId) =>
          fetchPage(
            limit,
            (count) =>
              inTurn(workspaceId)(events.history(workspaceId, id, { limit: count, before: cursor?.before ?? null })),
            (last) => HistoryPosition.make({ before: last.id })
          )
        ).pipe(orProblem, (page) => Effect.andThen(refusePageNumbers, page))
      )
  })
)
