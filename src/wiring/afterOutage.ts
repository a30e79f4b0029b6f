import { DateTime, Effect, Layer, Metric, Option, Schedule } from "effect"
import { pollInterval } from "../domain/pollInterval.ts"
import { Repo } from "../repo/Repo.ts"
import type { Hold } from "../repo/publishingState.ts"

/**
 * Marks targets that may be published without a stored outcome, so that the next attempt looks for them first. Runs
 * before the first lease and claim.
 */
export const afterOutageLayer = Layer.effectDiscard(
  Effect.flatMap(Repo, ({ publishingState }) => publishingState.lookAfterGap)
)

const held = Metric.gauge("publish_held", {
  description: "Whether publishing is held because the database was restored: 1 or 0"
})

export const describeHold = ({ since }: Hold) =>
  `publishing has been on hold since ${DateTime.formatIso(since)} because the database was restored; run the command resume to continue`

const repeatedly = <A, E>(report: Effect.Effect<A, E>, interval: Schedule.Schedule<unknown>) =>
  Effect.forkScoped(Effect.repeat(Effect.ignoreCause(report), interval))

export const holdReportLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { publishingState } = yield* Repo
    const measure = Effect.flatMap(publishingState.hold, (hold) => Metric.update(held, Option.isSome(hold) ? 1 : 0))
    const log = Effect.flatMap(
      publishingState.hold,
      Option.match({
        onNone: () => Effect.void,
        onSome: (hold) => Effect.logWarning(`Nothing is published: ${describeHold(hold)}`)
      })
    )
    yield* repeatedly(measure, Schedule.spaced(pollInterval))
    yield* repeatedly(log, Schedule.spaced("1 minute"))
  })
)
