import { Schema } from "effect"
import { Issue } from "./issue.ts"
import { formatIssues } from "./issues.ts"
import { maxKeys } from "./people/apiKey.ts"
import { maxInvites, maxMembers } from "./people/member.ts"
import { maxChannels, maxWebhooks } from "./plain/limits.ts"
import { namePlatforms } from "./plain/platforms.ts"
import { Platform, whyInReview, whyNoAccount } from "./platform.ts"
import type { PostStatus } from "./posts/post.ts"
import * as sample from "./samples.ts"

/* Errors that the API shows unchanged, each declared here only. `api/problems.ts` derives the problem, with the message
as `detail`, and `http/problems.ts` the response. */

/** Excludes the members that every problem has. */
type Fields = Schema.Struct.Fields & { readonly type?: never; readonly status?: never; readonly title?: never }

interface Summary<Code extends string, Status extends number> {
  /** Identifies the problem to programs and never changes. */
  readonly code: Code
  readonly status: Status
  readonly title: string
  readonly description: string
}

interface Documented<Code extends string, Status extends number, F extends Fields> extends Summary<Code, Status> {
  readonly fields: F
  /** The members that differ between requests. */
  readonly example: { readonly detail: string } & Schema.Struct.Encoded<F>
}

export interface Declared<
  Tag extends string,
  Code extends string,
  Status extends number,
  F extends Fields
> extends Documented<Code, Status, F> {
  readonly tag: Tag
}

/* oxlint-disable typescript/no-unnecessary-type-parameters -- A class names itself, as for Schema.TaggedError. */

const shownWith =
  <Self>() =>
  <const Tag extends string, const Code extends string, const Status extends number, const F extends Fields>(
    tag: Tag,
    documented: Documented<Code, Status, F>
  ) => {
    const problem: Declared<Tag, Code, Status, F> = { tag, ...documented }
    return Object.assign(Schema.TaggedError<Self>()(tag, { message: Schema.String, ...documented.fields }), { problem })
  }

/** Declares an error whose message varies, and whose problem has no members of its own. */
const shown =
  <Self>() =>
  <const Tag extends string, const Code extends string, const Status extends number>(
    tag: Tag,
    { example, ...summary }: Summary<Code, Status> & { readonly example: string }
  ) =>
    shownWith<Self>()(tag, { ...summary, fields: {}, example: { detail: example } })

/** Declares an error whose message is always the same. */
const shownAlike =
  <Self>() =>
  <const Tag extends string, const Code extends string, const Status extends number>(
    tag: Tag,
    { detail, ...summary }: Summary<Code, Status> & { readonly detail: string }
  ) => {
    const problem: Declared<Tag, Code, Status, {}> = { tag, ...summary, fields: {}, example: { detail } }
    return Object.assign(Schema.TaggedError<Self>()(tag, { message: Schema.tag(detail) }), { problem })
  }

/* oxlint-enable typescript/no-unnecessary-type-parameters */

export class InvalidRequest extends shownWith<InvalidRequest>()("InvalidRequest", {
  code: "invalid_request",
  status: 400,
  title: "The request is not valid",
  description: "A parameter or the body is invalid; `errors` lists every invalid field.",
  fields: { errors: Schema.Array(Issue).annotateKey({ description: "Every invalid field." }) },
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
}) {
  static because(...errors: ReadonlyArray<Issue>) {
    return new InvalidRequest({ message: formatIssues(errors), errors })
  }
}

export class IntegrationNotConnected extends shownWith<IntegrationNotConnected>()("IntegrationNotConnected", {
  code: "integration_not_connected",
  status: 400,
  title: "A platform is not connected",
  description: "The workspace has no connected account on the listed platforms.",
  fields: {
    platforms: Schema.Array(Platform).annotateKey({ description: "The platforms without a connected account." })
  },
  example: {
    detail: `${whyNoAccount(sample.platform)}; ${whyInReview(sample.reviewPlatform)}`,
    platforms: [sample.platform, sample.reviewPlatform]
  }
}) {}

export class InvalidState extends shown<InvalidState>()("InvalidState", {
  code: "invalid_state",
  status: 400,
  title: "The status does not allow this",
  description: "The post's status does not allow the operation.",
  example: "A published post can't be changed; only a draft or scheduled one can"
}) {}

const whyOutcomeOpen = (platforms: ReadonlyArray<Platform>) =>
  `The post may be on ${namePlatforms(platforms)}, so a copy could go out twice. Check the account and say what became of the post, ` +
  "or publish it again, which checks first. Or name the other platforms in platforms"

export class OutcomeOpen extends shownWith<OutcomeOpen>()("OutcomeOpen", {
  code: "outcome_open",
  status: 400,
  title: "The post may be out",
  description:
    "It is not known whether the post is out on the listed platforms, so a copy could go out twice. Resolve its targets there, publish the post again, which checks first, or leave these platforms out.",
  fields: { platforms: Schema.Array(Platform).annotateKey({ description: "The platforms that the post may be on." }) },
  example: { detail: whyOutcomeOpen([sample.platform]), platforms: [sample.platform] }
}) {
  static on(platforms: ReadonlyArray<Platform>) {
    return new OutcomeOpen({ message: whyOutcomeOpen(platforms), platforms })
  }
}

export class PostUnreadable extends shownAlike<PostUnreadable>()("PostUnreadable", {
  code: "post_unreadable",
  status: 400,
  title: "The post can't be read",
  description:
    "This version of the service can't read a part of the stored post, and the operation needs it. Reads show the part as empty. The post can be deleted.",
  detail:
    "This version of the service can't read a part of this post, so nothing was changed; ask the operator, or delete the post and create it again"
}) {}

export class WebhookLimit extends shownAlike<WebhookLimit>()("WebhookLimit", {
  code: "webhook_limit",
  status: 400,
  title: "There are too many webhooks",
  description: "The workspace has as many webhooks as it may have.",
  detail: `A workspace may have ${maxWebhooks} webhooks; delete one that is no longer needed`
}) {}

export class ChannelLimit extends shownAlike<ChannelLimit>()("ChannelLimit", {
  code: "channel_limit",
  status: 400,
  title: "There are too many channels",
  description: "The workspace has as many channels as it may have.",
  detail: `A workspace may have ${maxChannels} channels; delete one that is no longer needed`
}) {}

export class KeyLimit extends shownAlike<KeyLimit>()("KeyLimit", {
  code: "key_limit",
  status: 400,
  title: "There are too many API keys",
  description: "The workspace has as many API keys as it may have, or created as many within a day.",
  detail: `A workspace may have ${maxKeys} API keys, and create as many in a day; revoke keys that are no longer needed`
}) {}

const tooManyInvites = `A workspace may have ${maxInvites} pending invitations; take back those that are no longer needed`

export class MemberLimit extends shown<MemberLimit>()("MemberLimit", {
  code: "member_limit",
  status: 400,
  title: "There are too many members or invitations",
  description: "The workspace has as many members or pending invitations as it may have.",
  example: tooManyInvites
}) {
  static readonly ofMembers = new MemberLimit({
    message: `A workspace may have ${maxMembers} members; an admin has to remove one first`
  })
  static readonly ofInvites = new MemberLimit({ message: tooManyInvites })
}

/** Used only if files that are not ready are the post's only problem. */
export class MediaNotReady extends shownWith<MediaNotReady>()("MediaNotReady", {
  code: "media_not_ready",
  status: 400,
  title: "A file is not ready",
  description: "A file of a post to schedule or publish is still being processed. Drafts may have such files.",
  fields: { errors: Schema.Array(Issue).annotateKey({ description: "Every file that is not ready." }) },
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
}) {}

export class TimeRequired extends shownAlike<TimeRequired>()("TimeRequired", {
  code: "time_required",
  status: 400,
  title: "A time is needed",
  description: "The post has no time, or one that is past; send `scheduled_at`, `schedule` or `publish_now`.",
  detail: "The post has no time, or one that is past: send scheduled_at, schedule or publish_now"
}) {}

export class MediaUnsupported extends shown<MediaUnsupported>()("MediaUnsupported", {
  code: "media_unsupported",
  status: 400,
  title: "The file's type is not accepted",
  description: "The bytes are of a type that is not accepted, or of two types.",
  example: "The file is SVG; JPEG, PNG, WebP and GIF images, and MP4, QuickTime and WebM videos are accepted"
}) {}

const loginFirst = (email: string) => `Log in as ${email}, or send a password, to accept the invitation`

export class LoginRequired extends shown<LoginRequired>()("LoginRequired", {
  code: "login_required",
  status: 403,
  title: "Log in first",
  description:
    "The invitation is for somebody who already has a password: log in as that user, or send their password along.",
  example: loginFirst("ada@acme.example")
}) {
  static as(email: string) {
    return new LoginRequired({ message: loginFirst(email) })
  }
}

export class ApprovalRequired extends shown<ApprovalRequired>()("ApprovalRequired", {
  code: "approval_required",
  status: 403,
  title: "A person has to approve this",
  description:
    "The API key can only draft; a person or another key has to schedule or publish the post, or copy only what is missing.",
  example: "This key may draft, not publish; a person has to publish the post"
}) {}

export class NotOwnDraft extends shownAlike<NotOwnDraft>()("NotOwnDraft", {
  code: "not_own_draft",
  status: 403,
  title: "The key may change only its own drafts",
  description:
    "The API key requires approval: it may change and delete only drafts that it, or the key that it was rotated from, created.",
  detail:
    "This key requires approval: it may change and delete only drafts that it created, and nothing that a person or another key created or scheduled"
}) {}

export class NotOwnMedia extends shownAlike<NotOwnMedia>()("NotOwnMedia", {
  code: "not_own_media",
  status: 403,
  title: "The key may change only its own files",
  description:
    "The API key requires approval: it may change and delete only files that it, or the key that it was rotated from, uploaded.",
  detail: "This key requires approval: it may change and delete only files that it uploaded"
}) {}

export class NotFound extends shown<NotFound>()("NotFound", {
  code: "not_found",
  status: 404,
  title: "Not found",
  description: "The workspace has no such record, whether or not another workspace has it; or the URL does not exist.",
  example: "There is no such post in this workspace"
}) {}

export class IdempotencyInFlight extends shownAlike<IdempotencyInFlight>()("IdempotencyInFlight", {
  code: "idempotency_in_flight",
  status: 409,
  title: "The same request is being carried out",
  description: "Another request with this `Idempotency-Key` is in progress; retry after `Retry-After`.",
  detail: "Another request with this Idempotency-Key is still in progress; repeat this one in a moment"
}) {}

const hasChanged = (current: string, next: string) =>
  `The post has changed: it is now at ${current}. Read it again before you ${next}`

const conflict = (revision: number) => hasChanged(`revision ${revision}`, "decide")

export class RevisionConflict extends shown<RevisionConflict>()("RevisionConflict", {
  code: "revision_mismatch",
  status: 409,
  title: "The post has changed",
  description: "The post's revision is not the one in the body; nothing was changed. Read the post again.",
  example: conflict(4)
}) {
  static at(revision: number) {
    return new RevisionConflict({ message: conflict(revision) })
  }
}

const mismatch = (revision: number, status: PostStatus) =>
  hasChanged(`revision ${revision} and ${status === "draft" ? "a draft" : status}`, "change it")

export class RevisionMismatch extends shown<RevisionMismatch>()("RevisionMismatch", {
  code: "revision_mismatch",
  status: 412,
  title: "If-Match does not match the post",
  description: "The post's revision or status is not the one in `If-Match`; nothing was changed. Read the post again.",
  example: mismatch(4, "scheduled")
}) {
  static at(revision: number, status: PostStatus) {
    return new RevisionMismatch({ message: mismatch(revision, status) })
  }

  /** No tag in `If-Match` has the form of a post's ETag, so nothing is known about a change. */
  static foreign() {
    return new RevisionMismatch({
      message: 'If-Match has no ETag of a post. Read the post and send its ETag unchanged, such as "3-draft"'
    })
  }
}

const queueMismatch = (revision: number) =>
  `The queue has changed: it is now at revision ${revision}. Read it again before you change it`

export class QueueMismatch extends shown<QueueMismatch>()("QueueMismatch", {
  code: "revision_mismatch",
  status: 412,
  title: "If-Match does not match the queue",
  description: "The queue's revision is not the one in `If-Match`; nothing was changed. Read the queue again.",
  example: queueMismatch(4)
}) {
  static at(revision: number) {
    return new QueueMismatch({ message: queueMismatch(revision) })
  }
}

export class IdempotencyMismatch extends shownAlike<IdempotencyMismatch>()("IdempotencyMismatch", {
  code: "idempotency_mismatch",
  status: 422,
  title: "The Idempotency-Key belongs to another request",
  description: "This `Idempotency-Key` was used for a different request within the last 24 hours; use another key.",
  detail:
    "This Idempotency-Key was used for another request, or by another key or person, within the last 24 hours; use a fresh one"
}) {}

export class PreconditionRequired extends shownAlike<PreconditionRequired>()("PreconditionRequired", {
  code: "precondition_required",
  status: 428,
  title: "If-Match is needed",
  description:
    "Approval was requested for the draft, so an API key that requires approval has to send `If-Match`, and not `*`.",
  detail:
    "Approval was requested for this draft: send If-Match with the ETag of the post that you read, not with *. A group with such a draft can't be deleted as a whole"
}) {}
