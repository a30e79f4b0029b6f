import { Schema } from "effect"
import type { Platform } from "./platform.ts"
import { PublishableText, Text } from "./text/publishableText.ts"

const inReview = "In platform review."
const noSettings = "No settings."

const TwitterSettings = Schema.Struct({
  who_can_reply: Schema.optionalKey(
    Schema.Literals(["everyone", "following", "mentionedUsers", "subscribers", "verified"])
  ).annotateKey({ description: "Who can reply; `mentionedUsers` are the users that the text mentions." })
})

const InstagramSettings = Schema.Struct({
  post_type: Schema.optionalKey(Schema.Literals(["post", "story", "reel"])).annotateKey({
    description: "The kind of post."
  }),
  collaborators: Schema.optionalKey(Schema.Array(Text)).annotateKey({
    description: "Usernames to invite as collaborators."
  })
})

const YoutubeSettings = Schema.Struct({
  title: Schema.optionalKey(Text).annotateKey({ description: "The video's title; required for a video." }),
  privacy: Schema.optionalKey(Schema.Literals(["public", "private", "unlisted"])).annotateKey({
    description: "Who can see the video."
  }),
  made_for_kids: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether the video is directed to children."
  }),
  youtube_tags: Schema.optionalKey(Schema.Array(Text)).annotateKey({ description: "Tags for search." }),
  thumbnail_url: Schema.optionalKey(Text).annotateKey({
    description: "The URL of a custom thumbnail: JPEG or PNG, up to 2 MB."
  })
})

const TiktokSettings = Schema.Struct({
  tiktok_title: Schema.optionalKey(Text).annotateKey({
    description: "The title; replaces the one derived from the text."
  }),
  privacy_level: Schema.optionalKey(
    Schema.Literals(["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"])
  ).annotateKey({ description: "Who can see the video." }),
  allow_duet: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Whether to allow duets." }),
  allow_stitch: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Whether to allow stitches." }),
  allow_comment: Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Whether to allow comments." })
})

const NoSettings = Schema.Struct({})

/** Settings by platform; fields that a platform does not list are ignored. */
export const PlatformSettings = Schema.Struct({
  twitter: Schema.optionalKey(TwitterSettings).annotateKey({ description: "Settings for X." }),
  bluesky: Schema.optionalKey(NoSettings).annotateKey({ description: noSettings }),
  linkedin: Schema.optionalKey(NoSettings).annotateKey({ description: `${noSettings} ${inReview}` }),
  instagram: Schema.optionalKey(InstagramSettings).annotateKey({ description: inReview }),
  youtube: Schema.optionalKey(YoutubeSettings).annotateKey({ description: inReview }),
  tiktok: Schema.optionalKey(TiktokSettings).annotateKey({ description: inReview }),
  threads: Schema.optionalKey(NoSettings).annotateKey({ description: `${noSettings} ${inReview}` }),
  facebook: Schema.optionalKey(NoSettings).annotateKey({ description: `${noSettings} ${inReview}` })
})
export type PlatformSettings = typeof PlatformSettings.Type

const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  Object.entries(PlatformSettings.fields).map(([platform, { schema }]) => [platform, Object.keys(schema.fields)])
)

const typed = Schema.decodeUnknownSync(Schema.toType(PlatformSettings))

/** Removes the fields that a platform does not list. */
export const listedSettings = (settings: PlatformSettings): PlatformSettings =>
  typed(
    Object.fromEntries(
      Object.entries(settings).map(([platform, own]) => [
        platform,
        Object.fromEntries(Object.entries(own).filter(([field]) => fieldsOf[platform]?.includes(field)))
      ])
    )
  )

const textFor = (platform: Platform) =>
  Schema.optionalKey(PublishableText).annotateKey({ description: `The text for ${platform}.` })

/** Text by platform, which replaces a post's content there. */
export const PlatformOverrides = Schema.Struct({
  twitter: textFor("twitter"),
  bluesky: textFor("bluesky"),
  linkedin: textFor("linkedin"),
  instagram: textFor("instagram"),
  youtube: textFor("youtube"),
  tiktok: textFor("tiktok"),
  threads: textFor("threads"),
  facebook: textFor("facebook")
})
export type PlatformOverrides = typeof PlatformOverrides.Type
