import { Schema } from "effect"
import { HttpApiError } from "effect/http-api"
import { Issue } from "../domain/errors.ts"
import { Platform } from "../domain/platform.ts"

const declare = <const Code extends string, const Status extends number>(
  code: Code,
  status: Status,
  title: string
) => ({
  type: `urn:social-publisher:problem:${code}` as const,
  status,
  title
})

/** What every problem carries beside RFC 9457's own members. */
const members = <const Code extends string>(code: Code) => ({
  detail: Schema.String.annotate({ description: "What went wrong this time, and what to do about it" }),
  code: Schema.tag(code),
  request_id: Schema.String.annotate({ description: "Also in the header X-Request-Id; name it when you ask for help" })
})

/** 400: the request is malformed; `errors` lists every field that is wrong, its path from the root of the body. */
export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(
  "InvalidRequest",
  declare("invalid_request", 400, "The request is not valid"),
  { ...members("invalid_request"), errors: Schema.Array(Issue) }
) {}

/** 400: the workspace has no connected account on these platforms. */
export class IntegrationNotConnected extends HttpApiError.Problem<IntegrationNotConnected>()(
  "IntegrationNotConnected",
  declare("integration_not_connected", 400, "A platform is not connected"),
  { ...members("integration_not_connected"), platforms: Schema.Array(Platform) }
) {}

/** 400: the record's status does not allow the operation. */
export class InvalidState extends HttpApiError.Problem<InvalidState>()(
  "InvalidState",
  declare("invalid_state", 400, "The status does not allow this"),
  members("invalid_state")
) {}

/** 400: a text that is scheduled or published is longer than its platform takes, both in that platform's own count. */
export class ContentTooLong extends HttpApiError.Problem<ContentTooLong>()(
  "ContentTooLong",
  declare("content_too_long", 400, "A text is too long for its platform"),
  {
    ...members("content_too_long"),
    violations: Schema.Array(Schema.Struct({ platform: Platform, length: Schema.Int, limit: Schema.Int }))
  }
) {}

/** 401: the caller is not known: no API key, session or password, or one that is not valid or does not serve here. */
export class Unauthorized extends HttpApiError.Problem<Unauthorized>()(
  "Unauthorized",
  declare("unauthorized", 401, "The caller is not known"),
  members("unauthorized")
) {}

/** 403: the key lacks the scope that the operation needs. */
export class InsufficientScope extends HttpApiError.Problem<InsufficientScope>()(
  "InsufficientScope",
  declare("insufficient_scope", 403, "The key lacks a scope"),
  members("insufficient_scope")
) {}

/** 403: this is done as a person who has logged in, which a key is not. */
export class SessionRequired extends HttpApiError.Problem<SessionRequired>()(
  "SessionRequired",
  declare("session_required", 403, "A session is needed"),
  members("session_required")
) {}

/** 403: a change is asked for with a session's cookie by a page of another origin, or by nobody can tell whom. */
export class CrossOrigin extends HttpApiError.Problem<CrossOrigin>()(
  "CrossOrigin",
  declare("cross_origin", 403, "The request comes from another origin"),
  members("cross_origin")
) {}

/** 403: the key requires approval, so it may neither schedule nor publish. */
export class ApprovalRequired extends HttpApiError.Problem<ApprovalRequired>()(
  "ApprovalRequired",
  declare("approval_required", 403, "A person has to approve this"),
  members("approval_required")
) {}

/** 403: the request came to the proxy before the service by plain HTTP. */
export class HttpsRequired extends HttpApiError.Problem<HttpsRequired>()(
  "HttpsRequired",
  declare("https_required", 403, "HTTPS is needed"),
  members("https_required")
) {}

/** 404: no such record in the caller's workspace, or no such address. */
export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  declare("not_found", 404, "Not found"),
  members("not_found")
) {}

/** 405: the address exists, the method does not; the header Allow lists those that do. */
export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  declare("method_not_allowed", 405, "Method not allowed"),
  members("method_not_allowed")
) {}

/** 408: the request took longer to arrive than the service waits. */
export class RequestTimeout extends HttpApiError.Problem<RequestTimeout>()(
  "RequestTimeout",
  declare("request_timeout", 408, "The request took too long"),
  members("request_timeout")
) {}

/** 409: a request with the same Idempotency-Key has not ended. The header Retry-After says when to repeat this one. */
export class IdempotencyInFlight extends HttpApiError.Problem<IdempotencyInFlight>()(
  "IdempotencyInFlight",
  declare("idempotency_in_flight", 409, "The same request is being carried out"),
  members("idempotency_in_flight")
) {}

/** 413: the body is over 1 MiB. */
export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(
  "PayloadTooLarge",
  declare("payload_too_large", 413, "The body is too large"),
  members("payload_too_large")
) {}

/** 415: the body is not declared to be JSON. */
export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  declare("unsupported_media_type", 415, "The body has to be JSON"),
  members("unsupported_media_type")
) {}

/** 417: the header Expect asks for what the service does not do. */
export class ExpectationFailed extends HttpApiError.Problem<ExpectationFailed>()(
  "ExpectationFailed",
  declare("expectation_failed", 417, "The expectation can't be met"),
  members("expectation_failed")
) {}

/** 422: the Idempotency-Key was used for another request. */
export class IdempotencyMismatch extends HttpApiError.Problem<IdempotencyMismatch>()(
  "IdempotencyMismatch",
  declare("idempotency_mismatch", 422, "The Idempotency-Key belongs to another request"),
  members("idempotency_mismatch")
) {}

/** 429: too many requests. The header Retry-After says how many seconds to wait. */
export class RateLimited extends HttpApiError.Problem<RateLimited>()(
  "RateLimited",
  declare("rate_limited", 429, "Too many requests"),
  members("rate_limited")
) {}

/** 431: there are more headers than the service reads. */
export class HeadersTooLarge extends HttpApiError.Problem<HeadersTooLarge>()(
  "HeadersTooLarge",
  declare("headers_too_large", 431, "The headers are too large"),
  members("headers_too_large")
) {}

/** 500: a fault of the service, which has been logged under the request's id. */
export class Internal extends HttpApiError.Problem<Internal>()(
  "Internal",
  declare("internal", 500, "The service failed"),
  members("internal")
) {}

/** 503: the service can't answer right now; nothing is known to have been changed. The header Retry-After says when to come back. */
export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  declare("unavailable", 503, "The service is unavailable"),
  members("unavailable")
) {}
