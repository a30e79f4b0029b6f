import { Schema } from "effect"
import { IdempotencyInFlight, IdempotencyMismatch } from "./problems.ts"

const expected = "1 to 255 printable ASCII characters"

/** The headers of a request that can be repeated safely: what carries the same key is carried out once. */
export const idempotent = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "A name that the caller chooses for this request, 1 to 255 printable ASCII characters. For 24 hours a repetition of the request " +
        "with it is not carried out again, but answered as the first one was, with `Idempotent-Replayed: true`."
    }).check(Schema.isPattern(/^[\x20-\x7e]{1,255}$/, { expected }))
  )
}

/** What else a request with an Idempotency-Key can come to. */
export const idempotencyErrors = [IdempotencyInFlight, IdempotencyMismatch] as const
