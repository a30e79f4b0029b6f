import { Clock, Duration, Effect, Stream } from "effect"

/** How fast bytes have to arrive: on average, over each window. */
export interface Pace {
  readonly bytesPerSecond: number
  readonly window: Duration.Duration
}

/** What files have to arrive at, to be bounded by their size and not by a time. */
export const filePace: Pace = { bytesPerSecond: 50_000, window: Duration.seconds(30) }

/**
 * Fails a stream of bytes that arrives slower than a pace, or pauses for as long as its window.
 */
export const requirePace = <A extends Uint8Array, E, R, E2>(
  bytes: Stream.Stream<A, E, R>,
  { bytesPerSecond, window }: Pace,
  tooSlow: () => E2
): Stream.Stream<A, E | E2, R> =>
  Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (start) => {
      let windowStart = start
      let arrived = 0
      return bytes.pipe(
        Stream.timeoutOrElse({ duration: window, orElse: () => Stream.fail(tooSlow()) }),
        Stream.mapEffect((chunk) =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            arrived += chunk.byteLength
            const elapsed = now - windowStart
            if (elapsed < Duration.toMillis(window)) return Effect.succeed(chunk)
            if (arrived < (bytesPerSecond * elapsed) / 1000) return Effect.fail(tooSlow())
            windowStart = now
            arrived = 0
            return Effect.succeed(chunk)
          })
        )
      )
    })
  )
