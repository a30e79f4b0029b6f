import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { CurrentSession } from "../../api/Authorization.ts"
import { Repo } from "../../repo/Repo.ts"
import { asData } from "./asData.ts"
import { makeListNotifications } from "./listNotifications.ts"
import { orProblem } from "../problems.ts"

export const notifications = HttpApiBuilder.group(
  Api,
  "notifications",
  Effect.fn(function* (handlers) {
    const repo = yield* Repo
    const listNotifications = yield* makeListNotifications

    return handlers
      .handle("list", ({ query }) => listNotifications(query))
      .handle("read", ({ params: { id } }) =>
        Effect.flatMap(CurrentSession, (session) => repo.notifications.markRead(session, id)).pipe(asData, orProblem)
      )
      .handle("readAll", () =>
        Effect.flatMap(CurrentSession, (session) => repo.notifications.markAllRead(session)).pipe(
          Effect.map((updated) => ({ data: { updated } })),
          orProblem
        )
      )
  })
)
