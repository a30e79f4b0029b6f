import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Layer } from "effect"
import { CredentialCheck } from "../../src/accounts/CredentialCheck.ts"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { Readiness } from "../../src/http/operations/health.ts"
import { MeansToSettle } from "../../src/publishing/MeansToSettle.ts"
import { Publisher } from "../../src/publishing/Publisher.ts"
import { readinessLayer } from "../../src/wiring/readiness.ts"
import { fakeRepo } from "../support/database/fakeRepo.ts"

const error = new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })

/** The check of settlements after outcomes were refused for so long. */
const settlementsAfter = (seconds: number, mayClaim: boolean) =>
  Effect.gen(function* () {
    const { check } = yield* Readiness
    return (yield* check).filter(({ name }) => name === "settlements")
  }).pipe(
    Effect.provide(
      readinessLayer.pipe(
        Layer.provide([
          fakeRepo({ publishingState: { hold: Effect.succeedNone } }),
          Layer.mock(Publisher, { lastTick: DateTime.now }),
          Layer.mock(MeansToSettle, {
            mayClaim: Effect.succeed(mayClaim),
            refusal: Effect.succeedSome({ lasted: Duration.seconds(seconds), error }),
            watch: (repeat) => repeat
          }),
          Layer.mock(CredentialCheck, {
            lastCount: Effect.succeed({ connected: 0, unreadable: 0 }),
            mayPublish: Effect.succeed(true)
          })
        ])
      )
    )
  )

describe("readinessLayer", () => {
  it.effect("A process that can't store outcomes is not ready, and says for how long", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settlementsAfter(7, false), [
        {
          name: "settlements",
          ok: false,
          detail: "outcomes of posts can't be stored for 7 s, so this process publishes nothing; see its log"
        }
      ])
    })
  )

  it.effect("A process that still claims after a refused outcome does not say that it publishes nothing", () =>
    Effect.gen(function* () {
      assert.isEmpty(yield* settlementsAfter(2, true))
    })
  )
})
