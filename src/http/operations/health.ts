import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { Unavailable } from "../../api/problems.ts"
import { Readiness } from "./Readiness.ts"
import { RequestId } from "../RequestId.ts"

/** Whether the process is up; asks nothing else. */
const healthz = HttpRouter.add("GET", "/healthz", HttpServerResponse.jsonUnsafe({ status: "ok" }))

/** Whether the process can serve, and what it lacks if it can't. */
const readyz = HttpRouter.add(
  "GET",
  "/readyz",
  Effect.gen(function* () {
    const { check } = yield* Readiness
    const checks = yield* check
    const lacking = checks.filter(({ ok }) => !ok)
    if (lacking.length === 0) return HttpServerResponse.jsonUnsafe({ status: "ready", checks })
    const detail = lacking.map((one) => `${one.name}: ${one.detail}`).join("; ")
    return yield* HttpServerRespondable.toResponse(new Unavailable({ detail, request_id: yield* RequestId }))
  })
)

export const health = Layer.merge(healthz, readyz)
