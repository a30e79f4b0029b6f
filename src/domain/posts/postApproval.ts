import { Schema } from "effect"
import { Instant } from "../instant.ts"
import { NamedAuthor, userExample } from "../people/namedAuthor.ts"
import { StoredOverrides } from "./platformSettings.ts"
import { Thread } from "./thread.ts"

const requested = {
  status: "requested",
  revision: 2,
  outdated: false,
  requested_at: "2030-01-24T16:20:05.123Z",
  decided_at: null,
  decided_by: null,
  reason: null,
  requested: null
} as const

export const approvalExamples = {
  requested,
  rejected: {
    ...requested,
    status: "rejected",
    decided_at: "2030-01-25T08:12:44.018Z",
    decided_by: userExample,
    reason: "The date is wrong.",
    requested: { content: "Our release is out.", platform_overrides: {}, thread: [] }
  }
} as const

export const PostApproval = Schema.Struct({
  status: Schema.Literals(["requested", "approved", "rejected"]).annotateKey({
    description: "`requested`: nobody has decided yet."
  }),
  revision: Schema.Int.annotateKey({
    description:
      "The revision that this is about. If the post has another revision, it was changed since, and this does not apply to that revision."
  }),
  outdated: Schema.Boolean.annotateKey({
    description:
      "True if the post was changed since. A request is void then: nobody is asked to decide until approval is requested again."
  }),
  requested_at: Schema.NullOr(Instant).annotateKey({
    description: "When approval was requested or, without a request, decided; null if that was not recorded."
  }),
  decided_at: Schema.NullOr(Instant).annotateKey({ description: "When it was decided; null until then." }),
  decided_by: Schema.NullOr(NamedAuthor).annotateKey({
    description: "Who decided; null until then, and if that user or key was removed."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({ description: "Why it was rejected; null otherwise." }),
  requested: Schema.NullOr(
    Schema.Struct({
      content: Schema.String.annotateKey({ description: "The text for platforms without a text of their own." }),
      platform_overrides: StoredOverrides.annotateKey({ description: "Text by platform." }),
      thread: Thread.annotateKey({ description: "The parts of the thread that followed." })
    })
  ).annotateKey({
    description:
      "The texts of the latest earlier revision for which approval was requested or decided, to show what has changed since; null on the first."
  })
})
  .annotate({ identifier: "PostApproval", description: "Whether somebody approved of a revision of a post." })
  .pipe(Schema.annotateEncoded({ examples: Object.values(approvalExamples) }))
