import { Clock, Duration, Effect, Stream } from "effect"
import { TooSlow } from "../../domain/errors.ts"

const period = Duration.seconds(30)

/** Bytes per second. */
const minimumRate = 50_000

const minimumBytes = minimumRate * Duration.toSeconds(period)

/** A fetch beyond these minutes has to arrive at this rate on the whole, in bytes per second. */
const longFetch = Duration.minutes(2)
const longFetchRate = 250_000

const tookTooLong = Effect.fail(
  new TooSlow({
    message: `The bytes arrived more slowly than ${longFetchRate / 1000} kB/s for more than ${Duration.toMinutes(longFetch)} minutes`
  })
)

/**
 * A fetch keeps others of its workspace waiting, so a slow one ends, even if it is fast enough to stay connected. Only
 * waits for the sender count.
 */
export const requireTotalTime = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E | TooSlow, R> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.map(Clock.Clock, (clock) => {
      let waited = 0
      let received = 0
      return Effect.gen(function* () {
        const start = clock.currentTimeMillisUnsafe()
        const allowed = Duration.toMillis(longFetch) + (received / longFetchRate) * 1000
        const left = Duration.millis(Math.max(0, allowed - waited))
        const chunks = yield* Effect.timeoutOrElse(pull, { duration: left, orElse: () => tookTooLong })
        waited += clock.currentTimeMillisUnsafe() - start
        for (const chunk of chunks) received += chunk.length
        return chunks
      })
    })
  )

const tooSlow = Effect.fail(
  new TooSlow({
    message: `The bytes arrived more slowly than ${minimumRate / 1000} kB/s over ${Duration.toSeconds(period)} seconds`
  })
)

/** Fails with TooSlow if the sender delivers less than 50 kB/s during 30 seconds of waiting for the sender. */
export const requireMinimumRate = <E, R>(
  bytes: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<Uint8Array, E | TooSlow, R> =>
  Stream.transformPull(bytes, (pull) =>
    Effect.map(Clock.Clock, (clock) => {
      let waited = 0
      let received = 0
      return Effect.gen(function* () {
        const start = clock.currentTimeMillisUnsafe()
        const left = Duration.millis(Math.max(0, Duration.toMillis(period) - waited))
        const chunks = yield* Effect.timeoutOrElse(pull, { duration: left, orElse: () => tooSlow })
        waited += clock.currentTimeMillisUnsafe() - start
        for (const chunk of chunks) received += chunk.length
        if (received >= minimumBytes) {
          waited = 0
          received = 0
        }
        return chunks
      })
    })
  )
