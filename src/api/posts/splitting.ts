import { Schema, Struct } from "effect"
import { LivePlatform, Platforms } from "../../domain/platform.ts"
import * as sample from "../../domain/samples.ts"
import { inThousands, maxPostBytes } from "../../domain/posts/postSize.ts"
import { hasSections } from "../../domain/posts/split/sections.ts"
import { alwaysLive } from "../../domain/plain/platforms.ts"
import { numberings } from "../../domain/plain/posts.ts"
import { blankText, Text } from "../../domain/posts/text/publishableText.ts"
import { byteLength } from "../../domain/posts/text/textLength.ts"
import { maxThreadParts } from "../../domain/posts/thread.ts"
import { liveFacts } from "../../platforms/facts.ts"
import { examples } from "../examples.ts"
import { orNull } from "../orNull.ts"

export const textUnits = alwaysLive.map((platform) => `${liveFacts[platform].textUnit} on ${platform}`).join(", ")

/** The most parts of a split text: the post's own content and a full thread. */
export const maxParts = maxThreadParts + 1

const SplittableText = Text.check(
  Schema.makeFilter((text: string) => byteLength(text) <= maxPostBytes, {
    expected: `a text of at most ${inThousands(maxPostBytes)} bytes`
  }),
  Schema.isMinLength(1, { expected: "a text that is not blank" }),
  Schema.makeFilter((text: string) => text === "" || hasSections(text) || blankText)
)

export const SplitText = Schema.Struct({
  content: SplittableText.annotateKey({
    description: `The text, of up to ${inThousands(maxPostBytes)} bytes in UTF-8. A line of three hyphens alone ends a part, and is left out.`
  }),
  platforms: Platforms.annotateKey({
    description: "The platforms that the parts are for. Those that are not enabled for publishing set no limit."
  }),
  numbering: Schema.optionalKey(Schema.Literals(numberings)).annotateKey({
    description:
      "`none`, the default, or `suffix`: each part ends in its number, as in ` 2/7`, unless it is the only one."
  }),
  max_parts: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxParts })).annotate({ format: "int32" })
  ).annotateKey({
    description: `The most parts, ${maxParts} by default. The last part has all that is left.`
  })
})
  .mapFields(Struct.mapOmit(["content", "platforms"], orNull))
  .annotate({ identifier: "SplitText", description: "A text to split. Unknown members are rejected." })
  .pipe(
    examples({
      text: { content: "Our new release is out.\n---\nWhat is new, in detail.", platforms: sample.platforms },
      numbered: { content: "Our new release is out.", platforms: [sample.platform], numbering: "suffix", max_parts: 5 }
    })
  )

const texts = ["Our new release is out.", "What is new, in detail."] as const

const split = {
  parts: texts.map((content) => ({ content })),
  per_platform: [
    { platform: sample.platform, parts: texts.map((text) => ({ text, length: text.length, limit: 280 })) },
    { platform: sample.otherPlatform, parts: texts.map((text) => ({ text, length: text.length, limit: 300 })) }
  ],
  fits: true
} as const

const PartLength = Schema.Struct({
  text: Schema.String.annotateKey({ description: "The part's text." }),
  length: Schema.Int.annotateKey({
    description: `The text's length, in the platform's own unit: ${textUnits}.`
  }),
  limit: Schema.Int.annotateKey({ description: "The platform's limit, in the same unit." })
})

const Split = Schema.Struct({
  parts: Schema.Array(
    Schema.Struct({ content: Schema.String.annotateKey({ description: "The part's text, with its number." }) })
  ).annotateKey({
    description: "The parts, in the order of the text: the content of a post, and those of its `thread`."
  }),
  per_platform: Schema.Array(
    Schema.Struct({
      platform: LivePlatform,
      parts: Schema.Array(PartLength).annotateKey({ description: "The same parts, in the same order." })
    })
  ).annotateKey({ description: "The lengths of the parts on each platform that is enabled for publishing." }),
  fits: Schema.Boolean.annotateKey({
    description:
      "Whether each part is within the limits of all of these platforms. If it is false, the last part has all that is left, or a single character is too long."
  })
}).annotate({
  identifier: "Split",
  description: "The parts of a text, each for one post of a thread.",
  examples: [split]
})

export const SplitResponse = Schema.Struct({ data: Split })
  .annotate({ identifier: "SplitResponse", description: "The parts of the text." })
  .pipe(examples({ split: { data: split } }))
