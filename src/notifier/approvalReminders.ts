import { Effect, Layer, Schedule } from "effect"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { approvalReminder } from "./messages.ts"

const interval = "1 minute"

const batchSize = 100

/** Reminds people of posts that wait for approval, each time by one process. */
export const remindOfApprovals = Effect.gen(function* () {
  const { approvalReminders, events, transaction } = yield* Repo
  const remindBatch = transaction(
    Effect.gen(function* () {
      const posts = yield* approvalReminders.take(batchSize)
      const notifications = posts.map((post) => ({
        workspaceId: post.workspaceId,
        notification: approvalReminder(post)
      }))
      if (notifications.length > 0) yield* events.record({ events: [], notifications })
      return posts.length
    })
  )
  yield* Effect.repeat(remindBatch, { until: (reminded) => reminded < batchSize })
})

export const approvalRemindersLayer = Layer.effectDiscard(
  remindOfApprovals.pipe(
    bestEffort("Nobody is reminded of posts that wait for approval"),
    Effect.repeat(Schedule.spaced(interval)),
    Effect.forkScoped
  )
)
