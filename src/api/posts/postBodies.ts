import { Schema, type SchemaAST, Struct } from "effect"
import { isMaxItems } from "../../domain/issueCodes.ts"
import { maxPostMedia, MediaReference } from "../../domain/media/media.ts"
import { CopyOrder, NewPost, PostPatch } from "../../domain/posts/newPost.ts"
import {
  describeSettings,
  PlatformOverrides,
  type SettingSchema,
  settingValue
} from "../../domain/posts/platformSettings.ts"
import * as sample from "../../domain/samples.ts"
import { maxThreadParts, NewPart } from "../../domain/posts/thread.ts"
import { Text } from "../../domain/posts/text/publishableText.ts"
import type { Setting, Settings } from "../../platforms/Platform.ts"
import { settings as ownSettings } from "../../platforms/settings.ts"
import { examples } from "../examples.ts"
import { optional, orNull } from "../orNull.ts"

export const bodyParseOptions: SchemaAST.ParseOptions = { errors: "all", onExcessProperty: "error" }

const AnyMember = Schema.Record(Schema.String, Schema.Unknown)

const isHttps = (text: string) => URL.canParse(text) && new URL(text).protocol === "https:"

const httpsUrl = Text.check(Schema.makeFilter(isHttps, { expected: "an https URL" }))

type BodySetting<S extends Setting> = Struct.Apply<typeof orNull, SettingSchema<S>>

interface BodySettingLambda extends Struct.Lambda {
  <S extends Setting>(setting: S): BodySetting<S>
  readonly "~lambda.out": this["~lambda.in"] extends infer S extends Setting ? BodySetting<S> : never
}

const bodySetting = Struct.lambda<BodySettingLambda>((setting) => {
  const [value, remark] = setting.kind === "url" ? [httpsUrl, " An https URL."] : [settingValue(setting), ""]
  return optional(value, `${setting.description}${remark}`)
})

type BodySettings<S extends Settings> = Struct.Apply<
  typeof orNull,
  Schema.optionalKey<
    Schema.StructWithRest<
      Schema.Struct<{ readonly [Name in keyof S]: BodySetting<S[Name]> }>,
      readonly [typeof AnyMember]
    >
  >
>

interface BodySettingsLambda extends Struct.Lambda {
  <S extends Settings>(settings: S): BodySettings<S>
  readonly "~lambda.out": this["~lambda.in"] extends infer S extends Settings ? BodySettings<S> : never
}

/** A platform's settings. Fields that the platform does not have are accepted and ignored. */
const bodySettings = Struct.lambda<BodySettingsLambda>((own) =>
  optional(Schema.StructWithRest(Schema.Struct(Struct.map(own, bodySetting)), [AnyMember]), describeSettings(own))
)

const AllSettings = Schema.Struct(Struct.map(ownSettings, bodySettings))

const Overrides = PlatformOverrides.mapFields(Struct.map(orNull))

const byPlatform = (fields: typeof NewPost.fields | typeof PostPatch.fields) => {
  const describe = (member: "platform_overrides" | "platform_settings") => ({
    description: Schema.resolveAnnotationsKey(fields[member])?.description
  })
  return {
    platform_overrides: Schema.optionalKey(Overrides).annotateKey(describe("platform_overrides")),
    platform_settings: Schema.optionalKey(AllSettings).annotateKey(describe("platform_settings"))
  }
}

const references = Schema.Array(MediaReference.mapFields(Struct.mapOmit(["id"], orNull))).check(
  isMaxItems(maxPostMedia)
)

const media = (fields: typeof NewPost.fields | typeof PostPatch.fields | typeof NewPart.fields) =>
  Schema.optionalKey(references).annotateKey({ description: Schema.resolveAnnotationsKey(fields.media)?.description })

const parts = Schema.Array(
  NewPart.mapFields(
    Struct.assign({
      platform_overrides: Schema.optionalKey(Overrides).annotateKey({
        description: Schema.resolveAnnotationsKey(NewPart.fields.platform_overrides)?.description
      }),
      media: media(NewPart.fields)
    })
  )
    .mapFields(Struct.mapOmit(["content"], orNull))
    .annotate({
      identifier: "NewPart",
      description: Schema.resolveAnnotations(NewPart)?.description,
      examples: [{ content: "What is new, in detail." }]
    })
).check(isMaxItems(maxThreadParts))

const thread = (fields: typeof NewPost.fields | typeof PostPatch.fields) =>
  Schema.optionalKey(parts).annotateKey({ description: Schema.resolveAnnotationsKey(fields.thread)?.description })

const content = "Our new release is out."
const { overrides, platforms, settings } = sample

export const CreatePost = NewPost.mapFields(
  Struct.assign({ ...byPlatform(NewPost.fields), media: media(NewPost.fields), thread: thread(NewPost.fields) })
)
  .mapFields(Struct.mapOmit(["content", "platforms"], orNull))
  .annotate({ identifier: "CreatePost", description: "A post to create. Unknown members are rejected." })
  .pipe(
    examples({
      draft: { content, platforms },
      scheduled: {
        content,
        platforms,
        schedule_at: "2030-01-31T10:00:00+01:00",
        tags: ["release"],
        platform_overrides: overrides,
        platform_settings: settings,
        group_id: sample.groupId
      }
    })
  )

export const ValidatePost = CreatePost.mapFields(
  Struct.assign({
    cards: optional(
      Schema.Boolean,
      "Whether to look up the card of the post's first link, as when it is scheduled, which takes ten seconds at most. Needs `posts:write`, because the page is fetched and its picture is stored for the post."
    )
  })
)
  .annotate({ identifier: "ValidatePost", description: "A post to validate. Unknown members are rejected." })
  .pipe(
    examples({
      post: { content, platforms },
      withCard: { content: `${content} https://example.com/release`, platforms, cards: true }
    })
  )

export const UpdatePost = PostPatch.mapFields(
  Struct.assign({ ...byPlatform(PostPatch.fields), media: media(PostPatch.fields), thread: thread(PostPatch.fields) })
)
  .mapFields(Struct.mapOmit(["scheduled_at"], orNull))
  .annotate({
    identifier: "UpdatePost",
    description: "The members of a post to change; omitted ones stay as they are. Unknown members are rejected."
  })
  .pipe(
    examples({
      reschedule: {
        content: "Our new release is out today.",
        scheduled_at: "2030-01-31T12:00:00Z",
        tags: ["release", "today"],
        status: "scheduled"
      },
      unschedule: { status: "draft", scheduled_at: null },
      otherPlatforms: { platforms: [sample.otherPlatform] }
    })
  )

export const CopyPost = CopyOrder.mapFields(Struct.map(orNull))
  .annotate({ identifier: "CopyPost", description: "What to copy of a post. Unknown members are rejected." })
  .pipe(
    examples({ all: {}, missing: { what: "missing" }, missingThere: { what: "missing", platforms: [sample.platform] } })
  )
