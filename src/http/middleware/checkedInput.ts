import { Effect } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest } from "../../api/problems.ts"
import { CheckedInput } from "../../api/input.ts"
import { issuesOf, summarize } from "../issues.ts"
import { RequestId } from "../RequestId.ts"

export const checkedInput = HttpApiMiddleware.layerSchemaErrorTransform(CheckedInput, (error) =>
  Effect.gen(function* () {
    if (error.kind === "Body" || error.kind === "ResponseHeaders") return yield* Effect.fail(error)
    const errors = issuesOf(error.cause)
    return yield* new InvalidRequest({ detail: summarize(errors), errors, request_id: yield* RequestId })
  })
)
