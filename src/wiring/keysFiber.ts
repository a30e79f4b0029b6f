import { Effect, Layer, Schedule } from "effect"
import { Repo } from "../repo/Repo.ts"

/** Learns immediately of keys that other processes revoke. */
export const keysFiber = Layer.effectDiscard(
  Effect.gen(function* () {
    const { apiKeys } = yield* Repo
    const listening = apiKeys.listen.pipe(
      Effect.tapError((error) => Effect.logDebug("Changes of keys are not listened for", error)),
      Effect.tapDefect((defect) => Effect.logError("Listening for changes of keys failed unexpectedly", defect)),
      Effect.sandbox
    )
    yield* Effect.forkScoped(Effect.retry(listening, Schedule.spaced("1 second")))
  })
)
