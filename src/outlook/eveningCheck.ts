import { Array as Arr, DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { withClaimGrace } from "../domain/grace.ts"
import type { CheckedOutlook } from "../domain/outlook/checkedOutlook.ts"
import { longestDelay } from "../domain/outlook/nextOutlook.ts"
import { isWorthTelling } from "../domain/outlook/outlookMessage.ts"
import { defaultOutlookHours } from "../domain/plain/outlook.ts"
import { outlookChecked } from "../notifier/messages.ts"
import type { OutlookClaim } from "../repo/outlooks/OutlookRuns.ts"
import { bestEffort } from "../repo/postgres/databaseErrors.ts"
import { Repo } from "../repo/Repo.ts"
import { type CheckOptions, Outlook } from "./Outlook.ts"

const interval = "1 minute"

/**
 * Checks at one time, in a process. Most of their time they wait for platforms and links, and most workspaces have the
 * same hour.
 */
const concurrency = 3

/** New workspaces, and those whose queue has another zone, in one statement. */
const batchSize = 1_000

/** A check takes no longer. After its lease, another process makes it. */
const longestCheck = Duration.minutes(8)
const lease = Duration.minutes(10)

/** A check rests for this many times of what it worked, so that requests of the API hardly notice it. */
const restFactor = 3
/** In milliseconds. A page that takes long waits for the database, so that there is nobody to rest for. */
const longestRest = 100

const atLeisure: CheckOptions = {
  askFor: Duration.minutes(2),
  rest: (ran) => (ran > 0 ? Effect.sleep(Duration.millis(Math.min(restFactor * ran, longestRest))) : Effect.yieldNow)
}

/**
 * Checks each workspace's posts at its hour, once a day, by one process of several. The claim ends in the transaction
 * that notifies, so that a crash repeats the check, and never the notification.
 */
export const makeEveningCheck = Effect.gen(function* () {
  const { events, outlooks, transaction } = yield* Repo
  const { checkAtLeisure } = yield* Outlook

  const end = (claim: OutlookClaim, timeZone: string, outlook: CheckedOutlook) =>
    transaction(
      Effect.gen(function* () {
        if (!(yield* outlooks.settle(claim, true))) return
        if (!claim.alwaysNotify && !isWorthTelling(outlook)) return
        const notification = outlookChecked(outlook, { hour: claim.hour, timeZone })
        yield* events.record({ events: [], notifications: [{ workspaceId: claim.workspaceId, notification }] })
      })
    )

  const make = Effect.fn("eveningCheck")(function* (claim: OutlookClaim) {
    const { dueAt, workspaceId } = claim
    if (DateTime.isGreaterThan(yield* DateTime.now, DateTime.addDuration(dueAt, longestDelay))) {
      return yield* outlooks.settle(claim, false)
    }
    const { timeZone } = yield* outlooks.settings(workspaceId)
    const outlook = yield* Effect.timeout(checkAtLeisure(workspaceId, defaultOutlookHours, atLeisure), longestCheck)
    return yield* end(claim, timeZone, outlook)
  })

  /** A failed check is made again after its lease, by any process. A process that stops gives it back. */
  const makeOne = Effect.gen(function* () {
    const claim = yield* withClaimGrace(outlooks.claim(lease))
    if (Option.isNone(claim)) return false
    yield* Effect.interruptible(make(claim.value)).pipe(
      Effect.onInterrupt(() => Effect.ignore(outlooks.release(claim.value))),
      bestEffort("What is due soon was not checked"),
      Effect.annotateLogs({ workspace_id: claim.value.workspaceId })
    )
    return true
  }).pipe(Effect.uninterruptible)

  return {
    /** Makes all checks that are due. */
    run: Effect.gen(function* () {
      yield* Effect.repeat(outlooks.plan(batchSize), { while: (planned) => planned === batchSize })
      const makeAll = Effect.repeat(makeOne, { while: (isMoreLeft) => isMoreLeft })
      yield* Effect.all(Arr.replicate(makeAll, concurrency), { concurrency, discard: true })
    })
  }
})

export const eveningCheckLayer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { run } = yield* makeEveningCheck
    yield* run.pipe(
      bestEffort("What is due soon was not checked"),
      Effect.repeat(Schedule.spaced(interval)),
      Effect.forkScoped
    )
  })
)
