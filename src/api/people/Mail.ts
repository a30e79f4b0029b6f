import { Record, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import { describedInstant, Instant } from "../../domain/instant.ts"
import { mailModes, mailTypeNames, maxMuteDays } from "../../domain/plain/mail.ts"
import { examples } from "../examples.ts"
import { CheckedInput, JsonBody } from "../input.ts"
import { sessionOperation } from "../operation.ts"
import { optional } from "../orNull.ts"
import { shown } from "../problems.ts"

const mailExample = {
  enabled: true,
  modes: { "post.failed": "now", "post.approval_requested": "digest", "post.published": "off" },
  muted_until: null,
  digest_hour: 8,
  time_zone: "Europe/London"
} as const

const Modes = Schema.Struct(
  Record.map(mailTypeNames, (name) =>
    Schema.optionalKey(Schema.Literals(mailModes)).annotateKey({ description: `Mail about ${name}.` })
  )
)

const DigestHour = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 23 })).annotate({ format: "int32" })

const modesText =
  "When mail about each type of notifications is sent: `now`, once a day in the summary (`digest`), or never (`off`)"
const hourText = "The hour of the day, from 0 to 23, at which the daily summary is sent"
const mutedText = "Until when the person gets no mail of the workspace; null without a mute"

const MailChoices = Schema.Struct({
  enabled: Schema.Boolean.annotateKey({ description: "Whether the service sends mail. An operator sets it up." }),
  modes: Modes.annotateKey({ description: `${modesText}. Only the types that the person's role can choose.` }),
  muted_until: Schema.NullOr(describedInstant("When the mute ends.")).annotateKey({ description: `${mutedText}.` }),
  digest_hour: DigestHour.annotateKey({ description: `${hourText}.` }),
  time_zone: Schema.String.annotateKey({
    description: "The time zone of this hour: that of the workspace's queue, or UTC without one."
  })
})
  .annotate({ identifier: "MailChoices", description: "What a person gets by mail about one workspace." })
  .pipe(Schema.annotateEncoded({ examples: [mailExample] }))

export const OneMailChoices = Schema.Struct({ data: MailChoices })
  .annotate({ identifier: "OneMailChoices", description: "The choices of mail." })
  .pipe(examples({ choices: { data: mailExample } }))

const UpdateMail = Schema.Struct({
  modes: optional(Modes, `${modesText}. Types that are left out stay as they are.`),
  muted_until: Schema.optionalKey(Schema.NullOr(Instant)).annotateKey({
    description: `${mutedText}. At most ${maxMuteDays} days ahead. Failures still come if no other admin gets them.`
  }),
  digest_hour: optional(DigestHour, `${hourText}.`)
})
  .annotate({
    identifier: "UpdateMailChoices",
    description: "What to change; the rest stays as it is. Unknown members are rejected."
  })
  .pipe(
    examples({
      calmer: { modes: { "post.approval_requested": "digest" }, digest_hour: 9 },
      away: { muted_until: "2030-02-14T08:00:00.000Z" }
    })
  )

export const getMail = HttpApiEndpoint.get("getMail", "/mail", {
  success: OneMailChoices
}).annotateMerge(
  sessionOperation({
    id: "getMailChoices",
    summary: "Get the choices of mail",
    description: "Returns what the user gets by mail about the session's workspace."
  })
)

export const updateMail = HttpApiEndpoint.patch("updateMail", "/mail", {
  payload: UpdateMail,
  success: OneMailChoices,
  error: shown.InvalidState
})
  .annotateMerge(
    sessionOperation({
      id: "updateMailChoices",
      summary: "Change the choices of mail",
      description:
        "Changes what the user gets by mail about the session's workspace. Fails with `invalid_state` for a type that the user's role can't choose, and if the user is the last admin who gets failures or accounts to connect again: those can be moved to the summary, but not turned off."
    })
  )
  .middleware(CheckedInput)
  .middleware(JsonBody)
