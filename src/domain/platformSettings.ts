import { Schema } from "effect"
import { PublishableText, Text } from "./text/publishableText.ts"

const TwitterSettings = Schema.Struct({
  who_can_reply: Schema.optionalKey(
    Schema.Literals(["everyone", "following", "mentionedUsers", "subscribers", "verified"])
  )
})

const InstagramSettings = Schema.Struct({
  post_type: Schema.optionalKey(Schema.Literals(["post", "story", "reel"])),
  collaborators: Schema.optionalKey(Schema.Array(Text))
})

const YoutubeSettings = Schema.Struct({
  title: Schema.optionalKey(Text),
  privacy: Schema.optionalKey(Schema.Literals(["public", "private", "unlisted"])),
  made_for_kids: Schema.optionalKey(Schema.Boolean),
  youtube_tags: Schema.optionalKey(Schema.Array(Text)),
  thumbnail_url: Schema.optionalKey(Text)
})

const TiktokSettings = Schema.Struct({
  tiktok_title: Schema.optionalKey(Text),
  privacy_level: Schema.optionalKey(Schema.Literals(["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"])),
  allow_duet: Schema.optionalKey(Schema.Boolean),
  allow_stitch: Schema.optionalKey(Schema.Boolean),
  allow_comment: Schema.optionalKey(Schema.Boolean)
})

const NoSettings = Schema.Struct({})

/** Settings by platform; fields that a platform does not list are ignored. */
export const PlatformSettings = Schema.Struct({
  twitter: Schema.optionalKey(TwitterSettings),
  bluesky: Schema.optionalKey(NoSettings),
  linkedin: Schema.optionalKey(NoSettings),
  instagram: Schema.optionalKey(InstagramSettings),
  youtube: Schema.optionalKey(YoutubeSettings),
  tiktok: Schema.optionalKey(TiktokSettings),
  threads: Schema.optionalKey(NoSettings),
  facebook: Schema.optionalKey(NoSettings)
})
export type PlatformSettings = typeof PlatformSettings.Type

const fieldsOf: Readonly<Record<string, ReadonlyArray<string>>> = Object.fromEntries(
  Object.entries(PlatformSettings.fields).map(([platform, { schema }]) => [platform, Object.keys(schema.fields)])
)

const typed = Schema.decodeUnknownSync(Schema.toType(PlatformSettings))

/** Settings without the fields that their platforms do not list. */
export const listedSettings = (settings: PlatformSettings): PlatformSettings =>
  typed(
    Object.fromEntries(
      Object.entries(settings).map(([platform, own]) => [
        platform,
        Object.fromEntries(Object.entries(own).filter(([field]) => fieldsOf[platform]?.includes(field)))
      ])
    )
  )

/** A text by platform, which replaces the base copy there. */
export const PlatformOverrides = Schema.Struct({
  twitter: Schema.optionalKey(PublishableText),
  bluesky: Schema.optionalKey(PublishableText),
  linkedin: Schema.optionalKey(PublishableText),
  instagram: Schema.optionalKey(PublishableText),
  youtube: Schema.optionalKey(PublishableText),
  tiktok: Schema.optionalKey(PublishableText),
  threads: Schema.optionalKey(PublishableText),
  facebook: Schema.optionalKey(PublishableText)
})
export type PlatformOverrides = typeof PlatformOverrides.Type
