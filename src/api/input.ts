import { Context, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { requestId } from "../domain/samples.ts"
import { PayloadTooLarge, UnsupportedMediaType, shown } from "./problems.ts"

/** Validates a request's input. If fields are invalid, the problem in the response lists all of them. */
export class CheckedInput extends HttpApiMiddleware.Service<CheckedInput>()("social-publisher/api/CheckedInput", {
  error: shown.InvalidRequest
}) {}

/** Requires a body declared as JSON: at most 1 MiB, well-formed UTF-8, nested at most 32 levels deep. */
export class JsonBody extends HttpApiMiddleware.Service<JsonBody>()("social-publisher/api/JsonBody", {
  error: [shown.InvalidRequest, PayloadTooLarge, UnsupportedMediaType]
}) {}

/** Null if the request has no body. */
export const ParsedBody = Context.Reference<unknown>("social-publisher/api/ParsedBody", { defaultValue: () => null })

export const idempotent = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,255}$/, { expected: "1 to 255 printable ASCII characters" }))
  ).annotateKey({
    description:
      "Makes the request safe to retry: 1 to 255 printable ASCII characters of your choice, unique to the request. " +
      "For 24 hours the same request with the same key is not executed again; it returns the first response, with `Idempotent-Replayed: true`.",
    examples: [requestId]
  })
}

export const idempotencyErrors = [shown.IdempotencyInFlight, shown.IdempotencyMismatch] as const
