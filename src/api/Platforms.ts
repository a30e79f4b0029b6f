import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Platform, whyInReview } from "../domain/platform.ts"
import * as sample from "../domain/samples.ts"
import { Authentication } from "./Authentication.ts"
import { listOf } from "./data.ts"
import { examples } from "./examples.ts"
import { callerOperation } from "./operation.ts"
import { RateLimit } from "./RateLimit.ts"

const unlimited = {
  max_longest_side: null,
  max_shortest_side: null,
  min_shortest_side: null,
  max_frames: null,
  max_frame_rate: null,
  min_duration_ms: null,
  max_duration_ms: null
}

const image = { ...unlimited, content_types: ["image/jpeg", "image/png", "image/webp"], max_size: 5_000_000 }

const video = {
  content_types: ["video/mp4", "video/quicktime"],
  max_size: 1_000_000_000,
  max_longest_side: 1920,
  max_shortest_side: 1200,
  min_shortest_side: 32,
  max_frames: null,
  max_frame_rate: 60,
  min_duration_ms: 500,
  max_duration_ms: 7_500_000
}

const media = { max_files: 4, max_alt: 1000, image, gif: null, video }

const setting = {
  name: "who_can_reply",
  kind: "choice",
  description: "Who can reply.",
  label: "Who may reply",
  choices: [
    { value: "everyone", label: "Everyone" },
    { value: "following", label: "Accounts you follow" }
  ],
  default: "everyone"
} as const

const live = {
  platform: sample.platform,
  display_name: sample.platformName,
  state: "live",
  reason: null,
  threads: true,
  text: { limit: 280, unit: "weighted characters" },
  media,
  settings: [setting]
} as const

const inReview = {
  platform: sample.reviewPlatform,
  display_name: sample.reviewName,
  state: "in_review",
  reason: whyInReview(sample.reviewPlatform),
  threads: false,
  text: null,
  media: null,
  settings: []
} as const

const limit = (description: string) =>
  Schema.NullOr(Schema.Int).annotateKey({ description: `${description}; or null.` })

const FileLimits = Schema.Struct({
  content_types: Schema.Array(Schema.String).annotateKey({ description: "The types of files, such as `image/png`." }),
  max_size: Schema.Int.annotateKey({ description: "The largest size in bytes." }),
  max_longest_side: limit("The most pixels of the longer side"),
  max_shortest_side: limit("The most pixels of the shorter side"),
  min_shortest_side: limit("The fewest pixels of the shorter side"),
  max_frames: limit("The most frames"),
  max_frame_rate: limit("The most frames a second"),
  min_duration_ms: limit("The shortest duration in milliseconds"),
  max_duration_ms: limit("The longest duration in milliseconds")
}).annotate({
  identifier: "FileLimits",
  description: "The files of one kind that a platform accepts.",
  examples: [video]
})

const MediaLimits = Schema.Struct({
  max_files: Schema.Int.annotateKey({
    description: "The most images that a post can have. A post can have at most one GIF or one video."
  }),
  max_alt: Schema.Int.annotateKey({
    description: "The longest alternative text, in characters as the platform counts them."
  }),
  image: FileLimits.annotateKey({
    description: "The images that the platform gets. Larger ones can be uploaded, because they are scaled down for it."
  }),
  gif: Schema.NullOr(FileLimits).annotateKey({
    description: "The GIFs that the platform accepts; null if it accepts none."
  }),
  video: FileLimits.annotateKey({ description: "The videos that the platform accepts." })
}).annotate({ identifier: "MediaLimits", description: "The files that a platform accepts.", examples: [media] })

const PlatformSetting = Schema.Struct({
  name: Schema.String.annotateKey({ description: "Its name within `platform_settings`." }),
  kind: Schema.Literals(["choice", "text", "texts", "flag", "url"]).annotateKey({
    description: "The kind of its value: one of `choices`, a text, a list of texts, true or false, or a URL."
  }),
  description: Schema.String.annotateKey({ description: "What it sets." }),
  label: Schema.NullOr(Schema.String).annotateKey({ description: "Its name in a form; null if no form has it." }),
  choices: Schema.Array(
    Schema.Struct({
      value: Schema.String.annotateKey({ description: "A value of the setting." }),
      label: Schema.String.annotateKey({ description: "The value's name in a form." })
    })
  ).annotateKey({ description: "The values of a choice; empty for every other kind." }),
  default: Schema.NullOr(Schema.String).annotateKey({
    description: "The choice of a post without the setting; null if the platform documents none."
  })
}).annotate({
  identifier: "PlatformSetting",
  description: "A setting of posts on one platform.",
  examples: [setting]
})

const PlatformInfo = Schema.Struct({
  platform: Platform,
  display_name: Schema.String.annotateKey({ description: "The name that people know it by." }),
  state: Schema.Literals(["live", "enabled", "in_review"]).annotateKey({
    description:
      "`live`: posts go there. `enabled`: posts go there, because the service's operator has an approved application. `in_review`: no account can be connected."
  }),
  reason: Schema.NullOr(Schema.String).annotateKey({
    description: "The reason why no account can be connected; null if accounts can be."
  }),
  threads: Schema.Boolean.annotateKey({ description: "Whether a post can be a thread there." }),
  text: Schema.NullOr(
    Schema.Struct({
      limit: Schema.Int.annotateKey({ description: "The longest text, in the platform's unit." }),
      unit: Schema.String.annotateKey({ description: "The unit in which the platform counts." })
    })
  ).annotateKey({ description: "The limit of a text; null while the platform is in review." }),
  media: Schema.NullOr(MediaLimits).annotateKey({
    description:
      "The files that the platform accepts; null while it is in review, or can't fetch files from this service."
  }),
  settings: Schema.Array(PlatformSetting).annotateKey({ description: "The settings of a post there." })
})
  .annotate({ identifier: "PlatformInfo", description: "A platform, and what this service can publish there." })
  .pipe(Schema.annotateEncoded({ examples: [live] }))

export const PlatformList = listOf(PlatformInfo, "The platforms.")
  .annotate({ identifier: "PlatformList", description: "All platforms, those that are live first." })
  .pipe(examples({ platforms: { data: [live, inReview] } }))

const list = HttpApiEndpoint.get("list", "/", { success: PlatformList })
  .annotateMerge(
    callerOperation({
      id: "listPlatforms",
      summary: "List platforms",
      description:
        "Lists all platforms that the API names: which ones this service publishes to, their limits and settings, and why an account can't be connected on the others."
    })
  )
  .middleware(RateLimit)
  .middleware(Authentication)

export class Platforms extends HttpApiGroup.make("platforms")
  .add(list)
  .prefix("/v1/platforms")
  .annotateMerge(
    OpenApi.annotations({
      title: "Platforms",
      description: "The platforms that posts can go to, and what each accepts."
    })
  ) {}
