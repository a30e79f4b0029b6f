import { DateTime, Duration, Effect, Layer, Option } from "effect"
import { CredentialCheck, describeUnreadable } from "../accounts/CredentialCheck.ts"
import { pollInterval } from "../domain/pollInterval.ts"
import { Readiness } from "../http/operations/health.ts"
import { MeansToSettle } from "../publishing/MeansToSettle.ts"
import { Publisher } from "../publishing/Publisher.ts"
import { Repo } from "../repo/Repo.ts"
import { describeHold } from "./afterOutage.ts"

/** A publisher without a tick for this long is stuck. */
const stuckThreshold = Duration.times(pollInterval, 3)

/**
 * Ready while the database answers, the publisher ticks and can store outcomes, and the keys decrypt credentials. Also
 * reports a hold.
 */
export const readinessLayer = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const repo = yield* Repo
    const publisher = yield* Publisher
    const means = yield* MeansToSettle
    const credentialCheck = yield* CredentialCheck
    const database = repo.ping.pipe(
      Effect.as({ name: "database", ok: true, detail: "answers" }),
      Effect.catchTag("DatabaseUnavailable", ({ message }) =>
        Effect.succeed({ name: "database", ok: false, detail: message })
      )
    )
    const publishing = Effect.gen(function* () {
      const age = DateTime.distance(yield* publisher.lastTick, yield* DateTime.now)
      return {
        name: "publisher",
        ok: Duration.isLessThan(age, stuckThreshold),
        detail: `last tick ${Math.round(Duration.toSeconds(age))} s ago`
      }
    })
    const settlements = Effect.map(Effect.all([means.mayClaim, means.refusal]), ([mayClaim, refusal]) =>
      Option.match(mayClaim ? Option.none() : refusal, {
        onNone: () => [],
        onSome: ({ lasted }) => [
          {
            name: "settlements",
            ok: false,
            detail: `outcomes of posts can't be stored for ${Math.round(Duration.toSeconds(lasted))} s, so this process publishes nothing; see its log`
          }
        ]
      })
    )
    const credentials = Effect.map(
      Effect.all([credentialCheck.lastCount, credentialCheck.mayPublish]),
      ([count, mayPublish]) =>
        count.unreadable === 0 ? [] : [{ name: "credentials", ok: mayPublish, detail: describeUnreadable(count) }]
    )
    // A held process stays ready: its API works, and otherwise a load balancer would remove every replica.
    const hold = repo.publishingState.hold.pipe(
      Effect.map(Option.toArray),
      Effect.map((holds) => holds.map((one) => ({ name: "hold", ok: true, detail: describeHold(one) }))),
      Effect.orElseSucceed(() => [])
    )
    return Readiness.of({
      // Run concurrently, so that one timeout bounds them all, and a probe is answered while the database hangs.
      check: Effect.map(
        Effect.all([database, publishing, settlements, credentials, hold], { concurrency: "unbounded" }),
        ([first, second, refused, unreadable, holds]) => [first, second, ...refused, ...unreadable, ...holds]
      )
    })
  })
)
