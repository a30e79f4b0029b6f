import { Schema, Tuple } from "effect"
import { HttpApiError } from "effect/http-api"
import { tooManyKeys } from "../domain/people/apiKey.ts"
import { notOwnDraft, preconditionRequired } from "../domain/posts/approval.ts"
import { outcomeOpen } from "../domain/publishing/openOutcome.ts"
import { Issue, PostUnreadable as Unreadable } from "../domain/errors.ts"
import { loginRequired, tooManyInvites } from "../domain/people/member.ts"
import { Platform, whyInReview, whyNoAccount } from "../domain/platform.ts"
import { timeRequired } from "../domain/posts/postTime.ts"
import { revisionConflict, revisionMismatch } from "../domain/posts/revisionMatch.ts"
import * as sample from "../domain/samples.ts"
import { tooManyWebhooks } from "../domain/webhooks/webhook.ts"
import { examplesAnnotation } from "./examples.ts"

interface Documentation<Fields extends Schema.Struct.Fields> {
  readonly description: string
  /** The members that differ between requests. */
  readonly example: { readonly detail: string } & Schema.Struct.Encoded<Fields>
}

/** The arguments of HttpApiError.Problem for a problem (RFC 9457) with its own members. */
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

export const problem = problemWith({})

export class InvalidRequest extends HttpApiError.Problem<InvalidRequest>()(
  "InvalidRequest",
  ...problemWith({
    errors: Schema.Array(Issue).annotateKey({ description: "Every invalid field." })
  })("invalid_request", 400, "The request is not valid", {
    description: "A parameter or the body is invalid; `errors` lists every invalid field.",
    example: {
      detail: "content: This member is required; schedule_at: Expected a time at most 180 days ahead",
      errors: [
        { path: ["content"], message: "This member is required" },
        {
          path: ["schedule_at"],
          message: "Expected a time at most 180 days ahead",
          code: "time_too_far",
          facts: { limit: 180 }
        }
      ]
    }
  })
) {}

export class IntegrationNotConnected extends HttpApiError.Problem<IntegrationNotConnected>()(
  "IntegrationNotConnected",
  ...problemWith({
    platforms: Schema.Array(Platform).annotateKey({ description: "The platforms without a connected account." })
  })("integration_not_connected", 400, "A platform is not connected", {
    description: "The workspace has no connected account on the listed platforms.",
    example: {
      detail: `${whyNoAccount(sample.platform)}; ${whyInReview(sample.reviewPlatform)}`,
      platforms: [sample.platform, sample.reviewPlatform]
    }
  })
) {}

export class InvalidState extends HttpApiError.Problem<InvalidState>()(
  "InvalidState",
  ...problem("invalid_state", 400, "The status does not allow this", {
    description: "The post's status does not allow the operation.",
    example: { detail: "A published post can't be changed; only a draft or scheduled one can" }
  })
) {}

export class OutcomeOpen extends HttpApiError.Problem<OutcomeOpen>()(
  "OutcomeOpen",
  ...problemWith({
    platforms: Schema.Array(Platform).annotateKey({ description: "The platforms that the post may be on." })
  })("outcome_open", 400, "The post may be out", {
    description:
      "Whether the post is out on the listed platforms is not known, so a copy could be there a second time. Resolve its targets there, publish the post again, which checks first, or leave these platforms out.",
    example: { detail: outcomeOpen([sample.platform]).message, platforms: [sample.platform] }
  })
) {}

export class PostUnreadable extends HttpApiError.Problem<PostUnreadable>()(
  "PostUnreadable",
  ...problem("post_unreadable", 400, "The post can't be read", {
    description:
      "A part of the stored post can't be read by this version of the service, and the operation needs it. Reads show the part as empty. The post can be deleted.",
    example: { detail: new Unreadable().message }
  })
) {}

export class WebhookLimit extends HttpApiError.Problem<WebhookLimit>()(
  "WebhookLimit",
  ...problem("webhook_limit", 400, "There are too many webhooks", {
    description: "The workspace has as many webhooks as it may have.",
    example: { detail: tooManyWebhooks.message }
  })
) {}

export class KeyLimit extends HttpApiError.Problem<KeyLimit>()(
  "KeyLimit",
  ...problem("key_limit", 400, "There are too many API keys", {
    description: "The workspace has as many API keys as it may have, or created as many within a day.",
    example: { detail: tooManyKeys.message }
  })
) {}

export class MemberLimit extends HttpApiError.Problem<MemberLimit>()(
  "MemberLimit",
  ...problem("member_limit", 400, "There are too many members or invitations", {
    description: "The workspace has as many members, or invitations that wait, as it may have.",
    example: { detail: tooManyInvites.message }
  })
) {}

export class ContentTooLong extends HttpApiError.Problem<ContentTooLong>()(
  "ContentTooLong",
  ...problemWith({
    violations: Schema.Array(
      Schema.Struct({
        platform: Platform,
        length: Schema.Int.annotateKey({ description: "The text's length, in the platform's own unit." }),
        limit: Schema.Int.annotateKey({ description: "The platform's limit, in the same unit." }),
        part: Schema.optionalKey(Schema.Int).annotateKey({
          description: "Of a thread: the number of the part among those that the platform gets, from 1."
        })
      })
    ).annotateKey({ description: "Every text that is too long." })
  })("content_too_long", 400, "A text is too long for its platform", {
    description: "The text of a post to schedule or publish is too long for a platform. Drafts may be longer.",
    example: {
      detail: `${sample.platform} takes 280, this is 312`,
      violations: [{ platform: sample.platform, length: 312, limit: 280 }]
    }
  })
) {}

export class MediaNotReady extends HttpApiError.Problem<MediaNotReady>()(
  "MediaNotReady",
  ...problemWith({
    errors: Schema.Array(Issue).annotateKey({ description: "Every file that is not ready." })
  })("media_not_ready", 400, "A file is not ready", {
    description: "A file of a post to schedule or publish is still being processed. Drafts may have such files.",
    example: {
      detail: "media.0.id: This file is still being processed; try again in a moment",
      errors: [
        {
          path: ["media", 0, "id"],
          message: "This file is still being processed; try again in a moment",
          code: "file_processing"
        }
      ]
    }
  })
) {}

export class TimeRequired extends HttpApiError.Problem<TimeRequired>()(
  "TimeRequired",
  ...problem("time_required", 400, "A time is needed", {
    description: "The post has no time, or one that is past; send `scheduled_at` or `publish_now`.",
    example: { detail: timeRequired.message }
  })
) {}

export class MediaQuota extends HttpApiError.Problem<MediaQuota>()(
  "MediaQuota",
  ...problem("media_quota", 400, "The quota of media is used up", {
    description: "The file does not fit into the workspace's quota of media.",
    example: {
      detail:
        "The workspace's media takes 9,998 MB of 10,000 MB, and this file has no room; delete files that no post needs, or wait until unused ones expire"
    }
  })
) {}

export class MediaUnsupported extends HttpApiError.Problem<MediaUnsupported>()(
  "MediaUnsupported",
  ...problem("media_unsupported", 400, "The file's type is not taken", {
    description: "The bytes are of a type that is not taken, or of two types at once.",
    example: { detail: "The file is SVG; JPEG, PNG, WebP and GIF images, and MP4 and QuickTime videos are taken" }
  })
) {}

export class Unauthorized extends HttpApiError.Problem<Unauthorized>()(
  "Unauthorized",
  ...problem("unauthorized", 401, "The caller is not known", {
    description:
      "Credentials (an API key, a session, or a password) are missing or invalid, or a session is used where an API key is required.",
    example: { detail: "This API key is unknown, has expired or was revoked" }
  })
) {}

export class InsufficientScope extends HttpApiError.Problem<InsufficientScope>()(
  "InsufficientScope",
  ...problem("insufficient_scope", 403, "The key lacks a scope", {
    description: "The API key lacks the scope that the operation requires.",
    example: { detail: "The key needs the scope posts:write" }
  })
) {}

export class InsufficientRole extends HttpApiError.Problem<InsufficientRole>()(
  "InsufficientRole",
  ...problem("insufficient_role", 403, "The role does not allow this", {
    description: "The person's role in the workspace does not allow the operation.",
    example: { detail: "This needs the role editor or admin" }
  })
) {}

export class LoginRequired extends HttpApiError.Problem<LoginRequired>()(
  "LoginRequired",
  ...problem("login_required", 403, "Log in first", {
    description:
      "The invitation is for somebody who has a password already: log in as that user, or send their password along.",
    example: { detail: loginRequired("ada@acme.example").message }
  })
) {}

export class NoWorkspace extends HttpApiError.Problem<NoWorkspace>()(
  "NoWorkspace",
  ...problem("no_workspace", 403, "The user is in no workspace", {
    description: "The email address and the password are right, but the user is not a member of any workspace.",
    example: { detail: "This user is not a member of any workspace" }
  })
) {}

export class SessionRequired extends HttpApiError.Problem<SessionRequired>()(
  "SessionRequired",
  ...problem("session_required", 403, "A session is needed", {
    description: "The operation requires a session; API keys can't call it.",
    example: { detail: "This is done as a person who has logged in, not with an API key" }
  })
) {}

export class CrossOrigin extends HttpApiError.Problem<CrossOrigin>()(
  "CrossOrigin",
  ...problem("cross_origin", 403, "The request comes from another origin", {
    description:
      "CSRF protection: the request comes from another origin, or has a session and doesn't say where it comes from.",
    example: {
      detail: "A session's request has to come from https://posts.example, and to say so in Sec-Fetch-Site or Origin"
    }
  })
) {}

export class ApprovalRequired extends HttpApiError.Problem<ApprovalRequired>()(
  "ApprovalRequired",
  ...problem("approval_required", 403, "A person has to approve this", {
    description:
      "The API key can only draft; a person or another key has to schedule or publish the post, or to copy what is missing of one.",
    example: { detail: "This key may draft, not publish; a person has to publish the post" }
  })
) {}

export class NotOwnDraft extends HttpApiError.Problem<NotOwnDraft>()(
  "NotOwnDraft",
  ...problem("not_own_draft", 403, "The key may change only its own drafts", {
    description:
      "The API key requires approval: it may change and delete only drafts that it, or the key that it was rotated from, created.",
    example: { detail: notOwnDraft.message }
  })
) {}

export class NotOwnMedia extends HttpApiError.Problem<NotOwnMedia>()(
  "NotOwnMedia",
  ...problem("not_own_media", 403, "The key may change only its own files", {
    description:
      "The API key requires approval: it may change and delete only files that it, or the key that it was rotated from, uploaded.",
    example: { detail: "This key requires approval: it may change and delete only files that it uploaded" }
  })
) {}

export class HttpsRequired extends HttpApiError.Problem<HttpsRequired>()(
  "HttpsRequired",
  ...problem("https_required", 403, "HTTPS is needed", {
    description: "The proxy received the request over plain HTTP.",
    example: { detail: "The request came to the proxy by plain HTTP; use https" }
  })
) {}

export class NotFound extends HttpApiError.Problem<NotFound>()(
  "NotFound",
  ...problem("not_found", 404, "Not found", {
    description:
      "The workspace has no such record, whether or not another workspace has it; or the URL does not exist.",
    example: { detail: "There is no such post in this workspace" }
  })
) {}

export class MethodNotAllowed extends HttpApiError.Problem<MethodNotAllowed>()(
  "MethodNotAllowed",
  ...problem("method_not_allowed", 405, "Method not allowed", {
    description: "The URL exists, but not with this method; the header `Allow` lists the allowed methods.",
    example: { detail: "The header Allow lists the methods of this address" }
  })
) {}

export class RequestTimeout extends HttpApiError.Problem<RequestTimeout>()(
  "RequestTimeout",
  ...problem("request_timeout", 408, "The request took too long", {
    description: "The request did not arrive in time.",
    example: { detail: "The request took too long to arrive" }
  })
) {}

export class IdempotencyInFlight extends HttpApiError.Problem<IdempotencyInFlight>()(
  "IdempotencyInFlight",
  ...problem("idempotency_in_flight", 409, "The same request is being carried out", {
    description: "Another request with this `Idempotency-Key` is in progress; retry after `Retry-After`.",
    example: { detail: "Another request with this Idempotency-Key has not ended yet; repeat this one in a moment" }
  })
) {}

export class RevisionConflict extends HttpApiError.Problem<RevisionConflict>()(
  "RevisionConflict",
  ...problem("revision_mismatch", 409, "The post has changed", {
    description: "The post has another revision than the one in the body; nothing was changed. Read the post again.",
    example: { detail: revisionConflict({ revision: 4 }).message }
  })
) {}

export class RevisionMismatch extends HttpApiError.Problem<RevisionMismatch>()(
  "RevisionMismatch",
  ...problem("revision_mismatch", 412, "The post has changed", {
    description:
      "The post has another revision or status than the ones in `If-Match`; nothing was changed. Read the post again.",
    example: { detail: revisionMismatch({ revision: 4, status: "scheduled" }).message }
  })
) {}

export class PayloadTooLarge extends HttpApiError.Problem<PayloadTooLarge>()(
  "PayloadTooLarge",
  ...problem("payload_too_large", 413, "The body is too large", {
    description: "The body is larger than 1 MiB, or an uploaded file larger than files of its type may be.",
    example: { detail: "A body may have 1 MiB at most" }
  })
) {}

export class UnsupportedMediaType extends HttpApiError.Problem<UnsupportedMediaType>()(
  "UnsupportedMediaType",
  ...problem("unsupported_media_type", 415, "The body is of the wrong type", {
    description:
      "The body's content type is not JSON, or not `multipart/form-data` for an upload, or the body is compressed.",
    example: {
      detail:
        "The body came as text/plain. Send it as it is, without Content-Encoding, and with Content-Type: application/json"
    }
  })
) {}

export class RangeNotSatisfiable extends HttpApiError.Problem<RangeNotSatisfiable>()(
  "RangeNotSatisfiable",
  ...problem("range_not_satisfiable", 416, "The range is not in the file", {
    description: "The `Range` begins after the end of the file.",
    example: { detail: "The file has 2483109 bytes" }
  })
) {}

export class ExpectationFailed extends HttpApiError.Problem<ExpectationFailed>()(
  "ExpectationFailed",
  ...problem("expectation_failed", 417, "The expectation can't be met", {
    description: "The header `Expect` is not `100-continue`.",
    example: { detail: "The header Expect may only say 100-continue" }
  })
) {}

export class IdempotencyMismatch extends HttpApiError.Problem<IdempotencyMismatch>()(
  "IdempotencyMismatch",
  ...problem("idempotency_mismatch", 422, "The Idempotency-Key belongs to another request", {
    description: "This `Idempotency-Key` was used for a different request within the last 24 hours; use another key.",
    example: { detail: "This Idempotency-Key was used for another request within the last 24 hours; use a fresh one" }
  })
) {}

export class PreconditionRequired extends HttpApiError.Problem<PreconditionRequired>()(
  "PreconditionRequired",
  ...problem("precondition_required", 428, "If-Match is needed", {
    description:
      "Approval was requested for the draft, so an API key that requires approval has to send `If-Match`, and not `*`.",
    example: { detail: preconditionRequired.message }
  })
) {}

export class RateLimited extends HttpApiError.Problem<RateLimited>()(
  "RateLimited",
  ...problem("rate_limited", 429, "Too many requests", {
    description:
      "Too many requests from the workspace, or too many failed authentication attempts from the client's address; retry after `Retry-After`.",
    example: { detail: "The workspace may send 300 requests a minute" }
  })
) {}

export class HeadersTooLarge extends HttpApiError.Problem<HeadersTooLarge>()(
  "HeadersTooLarge",
  ...problem("headers_too_large", 431, "The headers are too large", {
    description: "The request has too many headers, or they are too large.",
    example: { detail: "There are more than 100 headers" }
  })
) {}

export class Internal extends HttpApiError.Problem<Internal>()(
  "Internal",
  ...problem("internal", 500, "The service failed", {
    description: "An internal error, logged under the request's id. Whether anything was changed is unknown.",
    example: { detail: "The service failed; what happened was logged" }
  })
) {}

export class Unavailable extends HttpApiError.Problem<Unavailable>()(
  "Unavailable",
  ...problem("unavailable", 503, "The service is unavailable", {
    description: "The service is temporarily unavailable; retry after `Retry-After`.",
    example: { detail: "The database does not answer; try again in a few seconds" }
  })
) {}
