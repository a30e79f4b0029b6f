import { Deferred, type Duration, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"

const done = HttpServerResponse.text("done")

/** A route at /held. Tests can wait for its first request, and release its responses. */
export const makeHeldRoute = Effect.gen(function* () {
  const arrived = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  const respond = Deferred.succeed(arrived, undefined).pipe(Effect.andThen(Deferred.await(released)), Effect.as(done))
  return {
    route: HttpRouter.add("GET", "/held", respond),
    arrived: Deferred.await(arrived),
    release: Deferred.succeed(released, undefined)
  }
})

/** A route whose response takes `duration` on the test's clock. */
export const slowRoute = (path: HttpRouter.PathInput, duration: Duration.Input) =>
  HttpRouter.add("GET", path, Effect.as(TestClock.adjust(duration), done))
