import { Effect, Layer, Result } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { FaultOrder } from "./state/faults.ts"
import { Sandbox } from "./Sandbox.ts"
import { type BodyIssue, strictBody } from "./strictBody.ts"

const readOrder = strictBody(FaultOrder)

const problem = (status: number, title: string, code: string, detail: string, errors: ReadonlyArray<BodyIssue> = []) =>
  HttpServerResponse.jsonUnsafe(
    { type: "about:blank", title, status, code, detail, ...(errors.length === 0 ? {} : { errors }) },
    { status, contentType: "application/problem+json" }
  )

const order = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const sandbox = yield* Sandbox
  // A page elsewhere can make a browser send a form here, but not JSON.
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? "")) {
    return problem(415, "Unsupported Media Type", "unsupported_media_type", "Send the order as application/json")
  }
  const read = readOrder(yield* Effect.orElseSucceed(request.text, () => ""))
  if (Result.isFailure(read)) {
    const detail = read.failure.map(({ message, path }) => `${path.join(".") || "body"}: ${message}`).join("; ")
    return problem(400, "Bad Request", "invalid_request", detail, read.failure)
  }
  return HttpServerResponse.jsonUnsafe({ data: yield* sandbox.faults.add(read.success) }, { status: 201 })
})

const list = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  return HttpServerResponse.jsonUnsafe({ data: yield* sandbox.faults.pending })
})

const clear = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  return HttpServerResponse.jsonUnsafe({ data: { cleared: yield* sandbox.faults.clear } })
})

/** Orders for the platforms to go wrong. */
export const faultRoutes = Layer.mergeAll(
  HttpRouter.add("POST", "/sandbox/faults", order),
  HttpRouter.add("GET", "/sandbox/faults", list),
  HttpRouter.add("DELETE", "/sandbox/faults", clear)
)
