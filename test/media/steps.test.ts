import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { MediaReader } from "../../src/media/process/MediaReader.ts"
import { mediaStepsLayer } from "../../src/media/steps.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { capturedTelemetryLayer, Log } from "../support/telemetry/capturedTelemetry.ts"
import { storedLibraryLayer } from "./mediaWorld.ts"

layer(storedLibraryLayer)("Steps of media", (it) => {
  it.effect("While the database is away, one line says so, and it is asked less and less often", () =>
    Effect.gen(function* () {
      const repo = yield* Repo
      let asked = 0
      const claim = () =>
        Effect.suspend(() => {
          asked++
          return new DatabaseUnavailable({ operation: "claiming a file", cause: "away" })
        })
      const away = Layer.succeed(Repo, { ...repo, media: { ...repo.media, claim } })
      const steps = Layer.provide(mediaStepsLayer, [Layer.mock(MediaReader, {}), Layer.mock(Outbound, {}), away])
      yield* Layer.build(steps)
      yield* TestClock.adjust("2 minutes")
      const warnings = (yield* Log).filter(({ level }) => level === "Warn")
      assert.deepStrictEqual(
        warnings.map(({ cause, message }) => [message, cause]),
        [["Files wait to be processed: The database did not answer: claiming a file", ""]]
      )
      assert.isAtMost(asked, 45)
    }).pipe(Effect.provide(capturedTelemetryLayer))
  )
})
