import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Cause, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { ClaimedFile } from "../repo/media/Media.ts"
import { Repo } from "../repo/Repo.ts"
import { fetchClaimed } from "./receive/fetchFile.ts"
import { MediaLibrary } from "./MediaLibrary.ts"
import { processFile } from "./process/processFile.ts"

const lease = Duration.minutes(1)
const renewInterval = Duration.seconds(20)

/** The wait after the store was unavailable. */
const retryWait = Duration.seconds(30)

/** Polls for steps that other processes added, and for retries. */
const pollInterval = Duration.seconds(5)

/** Doubles up to half a minute. */
const databaseRetries = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("30 seconds")])

/** The concurrent fetches of a process, which reads only one file at a time. */
const concurrentFetches = 4

const takeStep = Effect.fnUntraced(function* (file: ClaimedFile) {
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
    if (step._tag === "Process") return yield* processFile(file, step)
    yield* fetchClaimed(file, step)
    yield* (yield* MediaLibrary).announce("Process")
  })
  yield* Effect.raceFirst(take, renewing).pipe(
    Effect.onInterrupt(() => Effect.ignore(release(Duration.zero))),
    Effect.catchTags({
      MediaClaimLost: () => Effect.logDebug("The claim of a file was lost"),
      MediaStoreFull: awayFor,
      MediaUnavailable: awayFor
    }),
    Effect.annotateLogs({ media_id: file.id, workspace_id: file.workspaceId })
  )
})

export const takeSteps = Effect.fn("takeMediaSteps")(function* (kind: ClaimedFile["step"]["_tag"]) {
  const { media } = yield* Repo
  let taken = 0
  while (true) {
    const claimed = yield* media.claim(kind, lease)
    if (Option.isNone(claimed)) return taken
    yield* takeStep(claimed.value)
    taken++
  }
})

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
    const keepTaking = (kind: ClaimedFile["step"]["_tag"]) =>
      takeSteps(kind).pipe(
        Effect.tap(isBack),
        Effect.tapError(warnOnce),
        Effect.retry(databaseRetries),
        Effect.catchDefect((defect) => Effect.logError("A file could not be processed", Cause.die(defect))),
        Effect.andThen(Effect.timeoutOption(library.added(kind), pollInterval)),
        Effect.forever
      )
    yield* Effect.forkScoped(keepTaking("Process"))
    for (let slot = 0; slot < concurrentFetches; slot++) yield* Effect.forkScoped(keepTaking("Fetch"))
  })
).pipe(Layer.provide(NodeFileSystem.layer))
