import { Schema, SchemaTransformation } from "effect"
import type { Platform } from "../platform.ts"
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

type Check = (value: unknown) => boolean

/** Whether a value is one that a field can have, by platform and by the field's name. */
const checks: ReadonlyMap<string, ReadonlyMap<string, Check>> = new Map(
  Object.entries(PlatformSettings.fields).map(([platform, { schema }]) => [
    platform,
    new Map<string, Check>(
      Object.entries<Schema.optionalKey<Schema.Constraint>>(schema.fields).map(([field, own]) => [
        field,
        Schema.is(own.schema)
      ])
    )
  ])
)

const typed = Schema.decodeUnknownSync(Schema.toType(PlatformSettings))

interface AnySettings {
  readonly [platform: string]: { readonly [field: string]: unknown }
}

const keepSettings = (settings: AnySettings, keeps: (check: Check, value: unknown) => boolean): PlatformSettings =>
  typed(
    Object.fromEntries(
      Object.entries(settings).flatMap(([platform, own]) => {
        const fields = checks.get(platform)
        if (fields === undefined) return []
        const kept = Object.entries(own).filter(([field, value]) => {
          const check = fields.get(field)
          return check !== undefined && keeps(check, value)
        })
        return [[platform, Object.fromEntries(kept)] as const]
      })
    )
  )

/** Removes the fields that a platform does not list. */
export const listedSettings = (settings: PlatformSettings): PlatformSettings => keepSettings(settings, () => true)

/**
 * Settings as a post has them in the database. What a later version of the service stored and this one does not know is
 * left out, so that such a post can still be read.
 */
export const StoredSettings = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)).pipe(
  Schema.decodeTo(
    Schema.toType(PlatformSettings),
    SchemaTransformation.transform({
      decode: (stored: AnySettings) => keepSettings(stored, (check, value) => check(value)),
      encode: (settings): AnySettings => ({ ...settings })
    })
  )
)

const textByPlatform = <Text extends Schema.Constraint>(text: Text) => {
  const textFor = (platform: Platform) =>
    Schema.optionalKey(text).annotateKey({ description: `The text for ${platform}.` })
  return Schema.Struct({
    twitter: textFor("twitter"),
    bluesky: textFor("bluesky"),
    linkedin: textFor("linkedin"),
    instagram: textFor("instagram"),
    youtube: textFor("youtube"),
    tiktok: textFor("tiktok"),
    threads: textFor("threads"),
    facebook: textFor("facebook")
  })
}

/** Text by platform, which replaces a post's content there. */
export const PlatformOverrides = textByPlatform(PublishableText)
export type PlatformOverrides = typeof PlatformOverrides.Type

/** Overrides as a post has them in the database: texts that a rule refuses today may have been stored before. */
export const StoredOverrides = textByPlatform(Schema.String)
