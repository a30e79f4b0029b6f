import { Duration, Effect, Layer } from "effect"
import { pacedDisplay, ProgressDisplay, progressLine } from "../domain/progress.ts"

/** Work of a few seconds logs nothing. */
export const progressLogLayer = Layer.succeed(
  ProgressDisplay,
  pacedDisplay({ first: Duration.seconds(5), interval: Duration.seconds(30) }, (progress, elapsed) =>
    Effect.logInfo(progressLine(progress, elapsed))
  )
)
