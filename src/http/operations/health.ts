import { Context, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerResponse } from "effect/http"
import * as Problem from "../../api/problems.ts"
import { CurrentRequester } from "../../domain/requester.ts"
import { version } from "../../domain/version.ts"
import { Draining } from "../Draining.ts"
import { fail } from "../problems.ts"

/** /readyz shows `detail` to everybody. */
export interface ReadinessCheck {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

export class Readiness extends Context.Service<
  Readiness,
  {
    readonly check: Effect.Effect<ReadonlyArray<ReadinessCheck>>
  }
>()("social-publisher/http/Readiness") {}

/** Checks nothing, not even the database. */
const healthzLayer = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok", version }))

const readyzLayer = HttpRouter.add(
  "GET",
  "/readyz",
  Effect.gen(function* () {
    const { check } = yield* Readiness
    const { isDraining } = yield* Draining
    const stops = isDraining() ? [{ name: "process", ok: false, detail: "stops" }] : []
    // Waits for no turn of the callers, because it says how the service itself is.
    const checks = [...stops, ...(yield* Effect.provideService(check, CurrentRequester, undefined))]
    const failed = checks.filter(({ ok }) => !ok)
    if (failed.length === 0) return HttpServerResponse.jsonUnsafe({ status: "ready", checks })
    const detail = failed.map((one) => `${one.name}: ${one.detail}`).join("; ")
    // A failure with a 5xx status would be logged as an error.
    return yield* Effect.catch(fail(Problem.Unavailable, { detail }), HttpServerRespondable.toResponse)
  })
)

export const healthLayer = Layer.merge(healthzLayer, readyzLayer)
