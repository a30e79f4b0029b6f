import { Array as Arr, Cause, Clock, DateTime, Duration, Effect, Exit, Layer, Schedule } from "effect"
import type { PostId } from "../domain/ids.ts"
import { isOwnFault, togetherOrAlone } from "../repo/ownFault.ts"
import { Repo } from "../repo/Repo.ts"
import { draftsOverdue } from "./messages.ts"

/** How often each process looks for drafts whose time has passed. */
const interval = "30 seconds"

/** Drafts that people are told of in one transaction, each workspace by one notification where it has many. */
const batchSize = 1_000

/** How long a draft waits whose people could not be told of it. */
const pause = Duration.minutes(10)

/**
 * Notifies workspaces of drafts whose time has passed. A draft of which nobody can be told waits, and keeps no other from being told of.
 * Several processes may run it at once: each time of a draft is told once.
 */
export const makeTellOverdueDrafts = Effect.map(Repo, (repo) => {
  /** When the drafts are looked at again that could not be told of, in milliseconds. */
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

  /** Returns whether there may be more that can be told of. What another process has locked it leaves to that one. */
  const tellBatch = Effect.fnUntraced(function* () {
    const ids = yield* repo.overdueDrafts.find(batchSize, [...aside.keys()])
    if (!Arr.isReadonlyArrayNonEmpty(ids)) return false
    const told = yield* Effect.catchCauseIf(togetherOrAlone(ids, tell, isOwnFault), isOwnFault, (cause) =>
      Effect.succeed(ids.map(() => Exit.failCause(cause)))
    )
    for (const [id, exit] of Arr.zip(ids, told)) if (Exit.isFailure(exit)) yield* setAside(id, exit.cause)
    return ids.length === batchSize && told.some((exit) => Exit.isFailure(exit) || exit.value)
  })

  const tellAll = Effect.fnUntraced(function* () {
    const now = yield* Clock.currentTimeMillis
    for (const [id, until] of aside) if (until <= now) aside.delete(id)
    yield* Effect.repeat(tellBatch(), { while: (isMoreLeft) => isMoreLeft })
  })
  return Effect.suspend(tellAll)
})

/** Tells of drafts whose time has passed, at the start and from time to time. */
export const overdueDraftsLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const tell = yield* makeTellOverdueDrafts
    yield* tell.pipe(
      Effect.catchCause((cause) =>
        (Cause.hasDies(cause) ? Effect.logError : Effect.logDebug)(
          "Drafts whose time has passed are not told of",
          cause
        )
      ),
      Effect.repeat(Schedule.spaced(interval)),
      Effect.forkScoped
    )
  })
)
