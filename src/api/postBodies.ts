import { Schema, type SchemaAST, Struct } from "effect"
import { NewPost, PostPatch } from "../domain/newPost.ts"
import { PlatformSettings } from "../domain/platformSettings.ts"

/** How bodies are read: every wrong field is told, and a member that is not known is wrong. */
export const bodyParseOptions: SchemaAST.ParseOptions = { errors: "all", onExcessProperty: "error" }

const AnyMember = Schema.Record(Schema.String, Schema.Unknown)

const open = <F extends Schema.Struct.Fields>(settings: Schema.optionalKey<Schema.Struct<F>>) =>
  Schema.optionalKey(Schema.StructWithRest(settings.schema, [AnyMember]))

const { twitter, bluesky, linkedin, instagram, youtube, tiktok, threads, facebook } = PlatformSettings.fields

/** Unknown platforms are refused, while fields that a platform does not list are taken and ignored. */
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

/** The body that creates a post, and the one that is validated. */
export const CreatePost = NewPost.mapFields(
  Struct.assign({ platform_settings: Schema.optionalKey(Settings) })
).annotate({ identifier: "CreatePost" })

/** The body that changes a post: what it does not name stays as it is. */
export const UpdatePost = PostPatch.annotate({ identifier: "UpdatePost" })
