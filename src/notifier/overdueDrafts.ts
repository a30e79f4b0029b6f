import { Array as Arr, Cause, Clock, DateTime, Duration, Effect, Exit, Layer, Schedule } from "effect"
import type { PostId } from "../domain/ids.ts"
import { isOwnFault, togetherOrAlone } from "../repo/ownFault.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { draftsOverdue } from "./messages.ts"

const interval = "30 seconds"

const batchSize = 1_000

/** The wait after a failed notification. */
const pause = Duration.minutes(10)

/**
 * A draft whose notification fails is set aside, and does not block others. Several processes can run this, because
 * each time of a draft is notified once.
 */
export const makeTellOverdueDrafts = Effect.map(Repo, (repo) => {
  const aside = new Map<PostId, number>()

  const tell = (ids: Arr.NonEmptyReadonlyArray<PostId>) =>
    repo.transaction(
      Effect.gen(function* () {
        const drafts = yield* repo.overdueDrafts.take(ids)
        const byWorkspace = Object.values(Arr.groupBy(drafts, ({ workspaceId }) => workspaceId))
        const notifications = byWorkspace.flatMap((ofOne) => {
          const [{ workspaceId }] = ofOne
          return draftsOverdue(Arr.sortWith(ofOne, ({ scheduledAt }) => scheduledAt, DateTime.Order)).map(
            (notification) => ({ workspaceId, notification })
          )
        })
        yield* repo.events.record({ events: [], notifications })
        const taken = new Set(drafts.map(({ id }) => id))
        return ids.map((id) => Exit.succeed(taken.has(id)))
      })
    )

  const setAside = Effect.fnUntraced(function* <E>(id: PostId, cause: Cause.Cause<E>) {
    aside.set(id, (yield* Clock.currentTimeMillis) + Duration.toMillis(pause))
    yield* (Cause.hasDies(cause) ? Effect.logError : Effect.logDebug)(
      "Nobody can be told that the time of a draft has passed",
      cause
    ).pipe(Effect.annotateLogs({ post_id: id }))
  })

  /** Returns true if there may be more drafts. Skips drafts that another process has locked. */
  const tellBatch = Effect.gen(function* () {
    const ids = yield* repo.overdueDrafts.find(batchSize, [...aside.keys()])
    if (!Arr.isReadonlyArrayNonEmpty(ids)) return false
    const told = yield* Effect.catchCauseIf(togetherOrAlone(ids, tell, isOwnFault), isOwnFault, (cause) =>
      Effect.succeed(ids.map(() => Exit.failCause(cause)))
    )
    for (const [id, exit] of Arr.zip(ids, told)) if (Exit.isFailure(exit)) yield* setAside(id, exit.cause)
    return ids.length === batchSize && told.some((exit) => Exit.isFailure(exit) || exit.value)
  })

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [id, until] of aside) if (until <= now) aside.delete(id)
    yield* Effect.repeat(tellBatch, { while: (isMoreLeft) => isMoreLeft })
  })
})

export const overdueDraftsLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const tell = yield* makeTellOverdueDrafts
    yield* tell.pipe(
      bestEffort("Drafts whose time has passed are not told of"),
      Effect.repeat(Schedule.spaced(interval)),
      Effect.forkScoped
    )
  })
)
