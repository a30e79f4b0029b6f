import { DateTime, Effect, Schema, Struct } from "effect"
import { alwaysLive, type LivePlatform, livePlatforms } from "../domain/plain/platforms.ts"
import { settings } from "../platforms/settings.ts"
import { NewPost, PostPatch, Schedule } from "../domain/posts/newPost.ts"
import { planCreate, planIssues } from "../domain/posts/postPlan.ts"
import { PlatformSettings } from "../domain/posts/platformSettings.ts"
import { PostTime } from "../domain/posts/postTime.ts"
import { maxThreadParts, NewPart } from "../domain/posts/thread.ts"
import { PublishableText } from "../domain/posts/text/publishableText.ts"
import { listPostIssues } from "../http/postIssues.ts"
import { CurrentRules } from "../platforms/rules.ts"

/* A post's fields as lists of tools show them. The schemas accept everything that the API accepts. To be short, they
describe each field once, leave out platforms that can't be connected, and leave out null if it means the same as
leaving out the field. */

const Platforms = Schema.Array(Schema.Literals(livePlatforms)).check(Schema.isMinLength(1), Schema.isUnique())

const Texts = Schema.Record(Schema.String, PublishableText)

const AnyMember = Schema.Record(Schema.String, Schema.Unknown)

const hasSettings = (platform: LivePlatform) => Object.keys(settings[platform]).length > 0

const settingsOf = (platform: LivePlatform) =>
  Schema.optionalKey(Schema.StructWithRest(PlatformSettings.fields[platform].schema, [AnyMember]))

const Settings = Schema.StructWithRest(
  Schema.Struct(
    // The settings of the other platforms are accepted as they are, and checked with the post.
    Object.fromEntries(alwaysLive.filter(hasSettings).map((platform) => [platform, settingsOf(platform)]))
  ),
  [Schema.Record(Schema.String, AnyMember)]
)

const describe = (member: Schema.Constraint) => ({
  description: Schema.resolveAnnotationsKey(member)?.description ?? ""
})

const Part = Schema.Struct({
  ...NewPart.fields,
  platform_overrides: Schema.optionalKey(Texts).annotateKey(describe(NewPart.fields.platform_overrides)),
  platforms: Schema.optionalKey(Platforms).annotateKey(describe(NewPart.fields.platforms))
}).annotate({ identifier: "Part" })

const shared = (fields: typeof NewPost.fields | typeof PostPatch.fields) => ({
  schedule: Schema.optionalKey(Schedule).annotateKey({
    description: "The queue's next free slot, in place of a time."
  }),
  platforms: Platforms.annotateKey(describe(fields.platforms)),
  platform_overrides: Schema.optionalKey(Texts).annotateKey(describe(fields.platform_overrides)),
  platform_settings: Schema.optionalKey(Settings).annotateKey(describe(fields.platform_settings)),
  thread: Schema.optionalKey(Schema.Array(Part).check(Schema.isMaxLength(maxThreadParts))).annotateKey(
    describe(fields.thread)
  )
})

export const newMembers = {
  ...NewPost.fields,
  ...shared(NewPost.fields),
  // The JSON Schema contains only descriptions of the encoded side, so this one is put there.
  schedule_at: Schema.optionalKey(PostTime.pipe(Schema.annotateEncoded(describe(NewPost.fields.schedule_at))))
}

/** The members of a change that tools leave out. */
export const omittedMembers = ["platforms", "keep_approval_request"] as const

export const changedMembers = Struct.omit({ ...PostPatch.fields, ...shared(PostPatch.fields) }, omittedMembers)

/** The issues of invalid fields, together with the API's other refusals. */
export const newPostIssues = (error: Schema.SchemaError, args: unknown) =>
  Effect.flatMap(Effect.all([CurrentRules, DateTime.now]), ([rules, now]) =>
    listPostIssues(error, args, (post) => Effect.succeed(planIssues(planCreate(rules, post, now, null))))
  )
