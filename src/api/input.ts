import { HttpApiMiddleware } from "effect/http-api"
import { InvalidRequest, PayloadTooLarge, UnsupportedMediaType } from "./problems.ts"

/** Answers parameters and bodies that don't fit their schema with a problem that lists every wrong field. */
export class CheckedInput extends HttpApiMiddleware.Service<CheckedInput>()("social-publisher/api/CheckedInput", {
  error: InvalidRequest
}) {}

/** Lets through only a body that is JSON: declared so, within 1 MiB, in UTF-8, well formed and nested at most 32 deep. */
export class JsonBody extends HttpApiMiddleware.Service<JsonBody>()("social-publisher/api/JsonBody", {
  error: [InvalidRequest, PayloadTooLarge, UnsupportedMediaType]
}) {}
