import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Duration, Effect, FiberSet, Layer, Option, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { withClaimGrace } from "../domain/grace.ts"
import type { ClaimedFile } from "../repo/media/Media.ts"
import { Repo } from "../repo/Repo.ts"
import { fetchClaimed } from "./receive/fetchFile.ts"
import { MediaLibrary } from "./MediaLibrary.ts"
import { type LargePictures, type LatestWorkspaces, makeLatest, maxSmallBytes } from "./process/lanes.ts"
import { isSmallFile, processFile } from "./process/processFile.ts"

const lease = Duration.minutes(1)
const renewInterval = Duration.seconds(20)

/** The wait after the store was unavailable, or if more large pictures wait than are remembered. */
const retryWait = Duration.seconds(30)

/** Polls for steps that other processes added, and for retries. */
const pollInterval = Duration.seconds(5)

/** Doubles up to half a minute. */
const databaseRetries = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

/** Each is for another workspace, and mostly waits for a server. */
const concurrentFetches = 32

/** Takes files of one kind in turns of the workspaces. */
interface Taking {
  readonly kind: ClaimedFile["step"]["_tag"]
  /** Both lanes if undefined. */
  readonly isSmall?: boolean
  readonly served: LatestWorkspaces
  /** Files with few bytes that turned out to be large pictures. */
  readonly large: LargePictures
}

export const takingAll = (kind: Taking["kind"]): Taking => ({ kind, served: makeLatest(), large: makeLatest() })

const takeStep = Effect.fnUntraced(function* (file: ClaimedFile, { isSmall = false, large }: Taking) {
  const { media } = yield* Repo
  const { step } = file
  const renewing = media.renewLease(file, lease).pipe(
    Effect.catchTag("DatabaseUnavailable", (error) => Effect.logDebug("A lease could not be renewed", error)),
    Effect.delay(renewInterval),
    Effect.forever
  )
  const release = (wait: Duration.Duration) => media.release(file, { wait, counts: false })
  const awayFor = (error: { readonly message: string }) =>
    Effect.andThen(Effect.logWarning(`A file waits to be processed: ${error.message}`), release(retryWait))
  const take = Effect.gen(function* () {
    if (step._tag === "Process") {
      if (!isSmall || (yield* isSmallFile(file, step))) {
        return yield* processFile(file, step, isSmall ? "small" : "large")
      }
      // Released without a pause, more large pictures than are remembered would be claimed again and again.
      const pause = large.isFull() ? retryWait : Duration.zero
      large.add(file.id)
      yield* release(pause)
      return yield* (yield* MediaLibrary).announce("Process")
    }
    yield* fetchClaimed(file, step)
    yield* (yield* MediaLibrary).announce("Process")
  })
  yield* Effect.interruptible(Effect.raceFirst(take, renewing)).pipe(
    Effect.onInterrupt(() => Effect.ignore(release(Duration.zero))),
    Effect.catchTags({
      MediaClaimLost: () => Effect.logDebug("The claim of a file was lost"),
      MediaStoreFull: awayFor,
      MediaUnavailable: awayFor
    }),
    Effect.annotateLogs({ media_id: file.id, workspace_id: file.workspaceId })
  )
})

const claimStep = Effect.fnUntraced(function* ({ isSmall, kind, large, served }: Taking) {
  const { media } = yield* Repo
  const lane = isSmall === undefined ? undefined : { isSmall, maxSmallBytes, large: large.list() }
  const claimed = yield* media.claim(kind, lease, { served: served.list(), ...(lane && { lane }) })
  if (Option.isSome(claimed)) served.add(claimed.value.workspaceId)
  return claimed
})

/** Claims a file and begins its step. False if none is left. */
const claimOne = <E, R>(taking: Taking, begin: (file: ClaimedFile) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const claimed = yield* withClaimGrace(claimStep(taking))
    if (Option.isSome(claimed)) yield* begin(claimed.value)
    return Option.isSome(claimed)
  }).pipe(Effect.uninterruptible)

/** Takes one step after the other until none is left. */
export const takeSteps = Effect.fn("takeMediaSteps")(function* (taking: Taking) {
  let taken = 0
  while (yield* claimOne(taking, (file) => takeStep(file, taking))) taken++
  return taken
})

/** Begins fetches until none is left or all slots are taken. The end of one announces the next. */
const beginFetches = Effect.fnUntraced(function* <R>(
  taking: Taking,
  inFlight: () => number,
  begin: (file: ClaimedFile) => Effect.Effect<unknown, never, R>
) {
  while (inFlight() < concurrentFetches && (yield* claimOne(taking, begin)));
})

const logDefect = (defect: unknown) => Effect.logError("A file could not be processed", Cause.die(defect))

/** Fetches and reads added files, from any process. Files of a process that ended are taken over a minute later. */
export const mediaStepsLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const library = yield* MediaLibrary
    // All fibers use the same database, so only one of them warns.
    let isAway = false
    const warnOnce = ({ message }: DatabaseUnavailable) =>
      Effect.suspend(() => {
        if (isAway) return Effect.void
        isAway = true
        return Effect.logWarning(`Files wait to be processed: ${message}`)
      })
    const isBack = Effect.sync(() => {
      isAway = false
    })
    const keepTaking = <R>(
      { isSmall, kind }: Pick<Taking, "isSmall" | "kind">,
      take: Effect.Effect<unknown, DatabaseUnavailable, R>
    ) =>
      take.pipe(
        Effect.tap(isBack),
        Effect.tapError(warnOnce),
        Effect.retry(databaseRetries),
        Effect.catchDefect(logDefect),
        Effect.andThen(Effect.timeoutOption(library.added(kind, isSmall), pollInterval)),
        Effect.forever
      )
    const large: LargePictures = makeLatest()
    for (const isSmall of [true, false]) {
      const taking: Taking = { kind: "Process", isSmall, served: makeLatest(), large }
      yield* Effect.forkScoped(keepTaking(taking, takeSteps(taking)))
    }
    const fetches = yield* FiberSet.make<void>()
    const taking = takingAll("Fetch")
    let inFlight = 0
    const endFetch = Effect.suspend(() => {
      inFlight--
      return library.announce("Fetch")
    })
    const beginFetch = (file: ClaimedFile) => {
      inFlight++
      return takeStep(file, taking).pipe(
        Effect.catchTag("DatabaseUnavailable", warnOnce),
        Effect.catchDefect(logDefect),
        Effect.ensuring(endFetch),
        FiberSet.run(fetches)
      )
    }
    yield* Effect.forkScoped(
      keepTaking(
        taking,
        beginFetches(taking, () => inFlight, beginFetch)
      )
    )
  })
).pipe(Layer.provide(NodeFileSystem.layer))
