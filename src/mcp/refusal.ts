import { Effect, Schema } from "effect"
import { RequestId } from "../http/RequestId.ts"

/** The agents' server refuses in the form of a problem. */
class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  code: Schema.String,
  detail: Schema.String,
  request_id: Schema.String
}) {}

export const refuse = (code: string, detail: string) =>
  Effect.flatMap(RequestId, (request_id) => Effect.fail(new Refusal({ code, detail, request_id })))
