import { Schema } from "effect"

const SettingOptions = Schema.Struct({
  name: Schema.String.annotateKey({ description: "The setting's name within `platform_settings`." }),
  choices: Schema.NullOr(Schema.Array(Schema.String)).annotateKey({
    description: "The values that the account may choose at the moment; null for a setting without a list of values."
  }),
  is_available: Schema.Boolean.annotateKey({
    description: "False if the account has switched this off on the platform, so that the setting has no effect."
  })
})

export const postingOptionsExample = {
  username: "acme",
  display_name: "Acme",
  settings: [
    { name: "privacy_level", choices: ["PUBLIC_TO_EVERYONE", "SELF_ONLY"], is_available: true },
    { name: "allow_comment", choices: null, is_available: false }
  ],
  max_video_duration_ms: 600_000
} as const

export const PostingOptions = Schema.Struct({
  username: Schema.String.annotateKey({ description: "The account's handle on the platform, without `@`." }),
  display_name: Schema.NullOr(Schema.String).annotateKey({
    description: "The account's display name; null without one."
  }),
  settings: Schema.Array(SettingOptions).annotateKey({
    description: "The settings for which the account's choices differ from those of the platform."
  }),
  max_video_duration_ms: Schema.NullOr(Schema.Int).annotateKey({
    description: "The longest video of this account; null if it is the platform's."
  })
})
  .annotate({
    identifier: "PostingOptions",
    description: "What an account may choose for a post at the moment, as its platform says."
  })
  .pipe(Schema.annotateEncoded({ examples: [postingOptionsExample] }))
export type PostingOptions = typeof PostingOptions.Type
