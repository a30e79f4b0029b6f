import { type Cause, Schema, Struct, Tuple } from "effect"
import type { HttpServerRespondable } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { ContentTooLong as TooLong } from "../domain/errors.ts"
import * as sample from "../domain/samples.ts"
import * as Shown from "../domain/shownErrors.ts"
import { examplesAnnotation } from "./examples.ts"

interface Documentation<Fields extends Schema.Struct.Fields> {
  readonly description: string
  /** The fields that differ between requests. */
  readonly example: { readonly detail: string } & Schema.Struct.Encoded<Fields>
}

/** The arguments of HttpApiError.Problem for a problem (RFC 9457) with additional fields. */
export const problemWith =
  <const Fields extends HttpApiError.ProblemExtensionFields>(fields: Fields) =>
  <const Code extends string, const Status extends number>(
    code: Code,
    status: Status,
    title: string,
    { description, example }: Documentation<Fields>
  ) => {
    const type = `urn:social-publisher:problem:${code}` as const
    return Tuple.make(
      { type, status, title },
      {
        detail: Schema.String.annotateKey({ description: "What went wrong in this request, and what to do about it." }),
        code: Schema.tag(code).annotateKey({ description: "Identifies the problem and never changes: act on this." }),
        request_id: Schema.String.annotateKey({
          description: "The request's id, as in the header X-Request-Id. Include it when you ask for help."
        }),
        ...fields
      },
      {
        description,
        ...examplesAnnotation({ [code]: { type, title, status, code, request_id: sample.requestId, ...example } })
      }
    )
  }

/* oxlint-disable typescript/no-unnecessary-type-parameters -- A class names itself, as for Schema.TaggedError. */

export const problem =
  <Self>() =>
  <const Tag extends string, const Code extends string, const Status extends number>(
    tag: Tag,
    code: Code,
    status: Status,
    { title, ...documentation }: Documentation<{}> & { readonly title: string }
  ) =>
    HttpApiError.Problem<Self>()(tag, ...problemWith({})(code, status, title, documentation))

/* oxlint-enable typescript/no-unnecessary-type-parameters */

const shownProblem = <
  const Tag extends string,
  const Code extends string,
  const Status extends number,
  const Fields extends HttpApiError.ProblemExtensionFields
>({
  code,
  description,
  example,
  fields,
  status,
  tag,
  title
}: Shown.Declared<Tag, Code, Status, Fields>) => {
  const declared = problemWith(fields)(code, status, title, { description, example })
  return HttpApiError.Problem<ShownProblem<Tag, (typeof declared)[0]["type"], Status, (typeof declared)[1]>>()(
    tag,
    ...declared
  )
}

type ShownProblem<
  Tag extends string,
  Type extends string,
  Status extends number,
  Fields extends Schema.Struct.Fields
> = Schema.Struct.Type<HttpApiError.ProblemFields<Type, Status, Fields>> &
  Cause.YieldableError &
  HttpServerRespondable.Respondable & { readonly _tag: Tag }

/** The type-level counterpart of `shownProblem`. */
interface AsProblem extends Struct.Lambda {
  (error: { readonly problem: Shown.Declared<string, string, number, {}> }): unknown
  readonly "~lambda.out": this["~lambda.in"] extends {
    readonly problem: Shown.Declared<
      infer Tag,
      infer Code,
      infer Status,
      infer Fields extends HttpApiError.ProblemExtensionFields
    >
  }
    ? ReturnType<typeof shownProblem<Tag, Code, Status, Fields>>
    : never
}

/** The problems of the errors that the API shows unchanged, by name. They are the only values in `shownErrors.ts`. */
export const shown = Struct.map(
  Shown,
  Struct.lambda<AsProblem>((error) => shownProblem(error.problem))
)

export class ContentTooLong extends HttpApiError.Problem<ContentTooLong>()(
  "ContentTooLong",
  ...problemWith({
    violations: TooLong.fields.violations
  })("content_too_long", 400, "A text is too long for its platform", {
    description: "The text of a post to schedule or publish is too long for a platform. Drafts may be longer.",
    example: {
      detail: `${sample.platform} accepts a length of 280 weighted characters, but this text has 312`,
      violations: [{ platform: sample.platform, length: 312, limit: 280, unit: "weighted characters" }]
    }
  })
) {}

export class MediaQuota extends problem<MediaQuota>()("MediaQuota", "media_quota", 400, {
  title: "The quota of media is used up",
  description: "The file does not fit into the workspace's quota of media.",
  example: {
    detail:
      "The workspace's media takes 9,998 MB of 10,000 MB, and this file has no room; delete files that no post needs, or wait until unused ones expire"
  }
}) {}

export class Unauthorized extends problem<Unauthorized>()("Unauthorized", "unauthorized", 401, {
  title: "The caller is not known",
  description:
    "Credentials (an API key, a session, or a password) are missing or invalid, or a session is used where an API key is required.",
  example: { detail: "This API key is unknown, has expired or was revoked" }
}) {}

export class InsufficientScope extends problem<InsufficientScope>()("InsufficientScope", "insufficient_scope", 403, {
  title: "The key lacks a scope",
  description: "The API key lacks the scope that the operation requires.",
  example: { detail: "The key needs the scope posts:write" }
}) {}

export class InsufficientRole extends problem<InsufficientRole>()("InsufficientRole", "insufficient_role", 403, {
  title: "The role does not allow this",
  description: "The person's role in the workspace does not allow the operation.",
  example: { detail: "This needs the role editor or admin" }
}) {}

export class NoWorkspace extends problem<NoWorkspace>()("NoWorkspace", "no_workspace", 403, {
  title: "The user is not in any workspace",
  description: "The email address and the password are right, but the user is not a member of any workspace.",
  example: { detail: "This user is not a member of any workspace" }
}) {}

export class SessionRequired extends problem<SessionRequired>()("SessionRequired", "session_required", 403, {
  title: "A session is needed",
  description: "The operation requires a session; API keys can't call it.",
  example: { detail: "This is done as a person who has logged in, not with an API key" }
}) {}

export class CrossOrigin extends problem<CrossOrigin>()("CrossOrigin", "cross_origin", 403, {
  title: "The request comes from another origin",
  description:
    "CSRF protection: the request comes from another origin, or has a session and doesn't say where it comes from.",
  example: {
    detail: "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
  }
}) {}

export class HttpsRequired extends problem<HttpsRequired>()("HttpsRequired", "https_required", 403, {
  title: "HTTPS is needed",
  description: "The proxy received the request over plain HTTP.",
  example: { detail: "The request came to the proxy by plain HTTP; use https" }
}) {}

export class MethodNotAllowed extends problem<MethodNotAllowed>()("MethodNotAllowed", "method_not_allowed", 405, {
  title: "Method not allowed",
  description: "The URL exists, but not with this method; the header `Allow` lists the allowed methods.",
  example: { detail: "The header Allow lists the methods of this address" }
}) {}

export class RequestTimeout extends problem<RequestTimeout>()("RequestTimeout", "request_timeout", 408, {
  title: "The request took too long",
  description: "The request did not arrive in time.",
  example: { detail: "The request took too long to arrive" }
}) {}

export class PayloadTooLarge extends problem<PayloadTooLarge>()("PayloadTooLarge", "payload_too_large", 413, {
  title: "The body is too large",
  description: "The body is larger than 1 MiB, or an uploaded file exceeds the limit of its type.",
  example: { detail: "A body may have 1 MiB at most" }
}) {}

export class UnsupportedMediaType extends problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  "unsupported_media_type",
  415,
  {
    title: "The body is of the wrong type",
    description:
      "The body's content type is not JSON, or not `multipart/form-data` for an upload, or the body is compressed.",
    example: {
      detail:
        "The body came as text/plain. Send it as it is, without Content-Encoding, and with Content-Type: application/json"
    }
  }
) {}

export class RangeNotSatisfiable extends problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  "range_not_satisfiable",
  416,
  {
    title: "The range is not in the file",
    description: "The `Range` begins after the end of the file.",
    example: { detail: "The file has 2483109 bytes" }
  }
) {}

export class ExpectationFailed extends problem<ExpectationFailed>()("ExpectationFailed", "expectation_failed", 417, {
  title: "The expectation can't be met",
  description: "The header `Expect` is not `100-continue`.",
  example: { detail: "The header Expect may only say 100-continue" }
}) {}

export class RateLimited extends problem<RateLimited>()("RateLimited", "rate_limited", 429, {
  title: "Too many requests",
  description:
    "Too many requests from the workspace or, without a key or session, from the client's address, or too many failed authentication attempts from there; retry after `Retry-After`.",
  example: { detail: "The workspace may send 300 requests a minute" }
}) {}

export class HeadersTooLarge extends problem<HeadersTooLarge>()("HeadersTooLarge", "headers_too_large", 431, {
  title: "The headers are too large",
  description: "The request has too many headers, or they are too large.",
  example: { detail: "There are more than 100 headers" }
}) {}

export class Internal extends problem<Internal>()("Internal", "internal", 500, {
  title: "The service failed",
  description: "An internal error, logged under the request's id. Whether anything was changed is unknown.",
  example: { detail: "The service failed; what happened was logged" }
}) {}

/** For a change that has no key. */
export const mayBeStored = "The database did not answer. The change may be stored; look before you repeat it"

/** For a change that has a key. */
export const safeToRepeat =
  "The database did not answer. Repeat the same request in a few seconds; if the change is stored, it is not made again"

export class Unavailable extends problem<Unavailable>()("Unavailable", "unavailable", 503, {
  title: "The service is unavailable",
  description:
    "The service is temporarily unavailable; retry after `Retry-After`. If the database did not answer, a change may be stored: repeat it with the same `Idempotency-Key` if the endpoint takes one, or look first.",
  example: { detail: safeToRepeat }
}) {}
