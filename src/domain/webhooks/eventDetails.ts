import { Effect, Schema } from "effect"

/** In characters. Bounded, because a post has many events. */
export const maxFormerText = 3_000

/** Strings, because later versions can name other members. */
const changed = Schema.Array(Schema.String).annotateKey({
  description:
    "What was changed: `content`, `platform_overrides`, `platform_settings`, `media`, `tags`, `platforms`, `scheduled_at`, `status`, or `account` if the account was replaced."
})

const formerText = `up to ${maxFormerText.toLocaleString("en")} characters, with … at the end if it was cut`

const before = Schema.Struct({
  content: Schema.optionalKey(Schema.String).annotateKey({ description: `The former text: ${formerText}.` }),
  platform_overrides: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)).annotateKey({
    description: `The former texts by platform: of each, ${formerText}.`
  })
}).annotateKey({ description: "The former texts, if a person changed what somebody else wrote." })

/** Only in a post's history. */
export const EventDetails = Schema.Struct({
  changed: Schema.optionalKey(changed),
  before: Schema.optionalKey(before),
  reason: Schema.optionalKey(Schema.String).annotateKey({ description: "Why the post was rejected." }),
  account: Schema.optionalKey(Schema.String).annotateKey({ description: "The account's handle at that time." }),
  platform: Schema.optionalKey(Schema.String).annotateKey({
    description: "The account's platform, if the event has none."
  }),
  looked: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "True if an earlier attempt may have published the post: this attempt checked that, and sent the post again only if that was safe."
  }),
  waited: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "True if nothing was sent to the platform: a thread waits because a known limit leaves fewer posts than it has parts. Recorded once, however often it waits for that."
  }),
  approval_renewed: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "True if the post still waits for approval, at its later revision."
  })
}).annotate({
  identifier: "EventDetails",
  description: "Further details of an event.",
  examples: [{ changed: ["content"], before: { content: "Our release is out" } }]
})
export type EventDetails = typeof EventDetails.Type

/** Details that this version can't read become null. */
export const StoredEventDetails = Schema.NullOr(EventDetails).pipe(Schema.catchDecoding(() => Effect.succeedSome(null)))
