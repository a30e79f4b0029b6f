import { Schema, type SchemaAST, Struct } from "effect"
import { NewPost, PostPatch } from "../domain/newPost.ts"
import { PlatformSettings } from "../domain/platformSettings.ts"
import { groupId } from "../domain/samples.ts"
import { examples } from "./examples.ts"

/** Reports every invalid field of a body, and rejects unknown members. */
export const bodyParseOptions: SchemaAST.ParseOptions = { errors: "all", onExcessProperty: "error" }

const AnyMember = Schema.Record(Schema.String, Schema.Unknown)

const open = <F extends Schema.Struct.Fields>(settings: Schema.optionalKey<Schema.Struct<F>>) =>
  Schema.optionalKey(Schema.StructWithRest(settings.schema, [AnyMember])).annotateKey({
    description: Schema.resolveAnnotationsKey(settings)?.description
  })

const { platform_settings } = NewPost.fields
const { twitter, bluesky, linkedin, instagram, youtube, tiktok, threads, facebook } = PlatformSettings.fields

/** Rejects unknown platforms, but accepts fields that a platform does not list: they are ignored. */
const Settings = Schema.Struct({
  twitter: open(twitter),
  bluesky: open(bluesky),
  linkedin: open(linkedin),
  instagram: open(instagram),
  youtube: open(youtube),
  tiktok: open(tiktok),
  threads: open(threads),
  facebook: open(facebook)
})

const content = "Our new release is out."
const platforms = ["twitter", "bluesky"] as const

export const CreatePost = NewPost.mapFields(
  Struct.assign({
    platform_settings: Schema.optionalKey(Settings).annotateKey({
      description: Schema.resolveAnnotationsKey(platform_settings)?.description
    })
  })
)
  .annotate({ identifier: "CreatePost", description: "A post to create. Unknown members are rejected." })
  .pipe(
    examples({
      draft: { content, platforms },
      scheduled: {
        content,
        platforms,
        schedule_at: "2030-01-31T10:00:00+01:00",
        tags: ["release"],
        platform_overrides: { bluesky: "Our new release is out. Thank you for all the feedback!" },
        platform_settings: { twitter: { who_can_reply: "following" } },
        group_id: groupId
      }
    })
  )

export const UpdatePost = PostPatch.annotate({
  identifier: "UpdatePost",
  description: "The members of a post to change; omitted ones stay as they are. Unknown members are rejected."
}).pipe(
  examples({
    reschedule: {
      content: "Our new release is out today.",
      scheduled_at: "2030-01-31T12:00:00Z",
      tags: ["release", "today"],
      status: "scheduled"
    },
    unschedule: { status: "draft", scheduled_at: null }
  })
)
