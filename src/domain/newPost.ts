import { Schema } from "effect"
import { GroupId } from "./ids.ts"
import { Platform } from "./platform.ts"
import { PlatformOverrides, PlatformSettings } from "./platformSettings.ts"
import { PostTime } from "./postTime.ts"
import { PublishableText, Text } from "./text/publishableText.ts"

/** Base copy: any text that is not blank. */
const Content = PublishableText.check(Schema.isPattern(/\S/, { expected: "a text that is not blank" }))

const Tags = Schema.Array(Text.check(Schema.isMaxLength(256))).check(Schema.isMaxLength(100))

const OrderedStatus = Schema.Literals(["draft", "scheduled"])

/** What a caller says of a post to create. */
export const NewPost = Schema.Struct({
  content: Content,
  platforms: Schema.Array(Platform).check(Schema.isMinLength(1), Schema.isUnique()),
  schedule_at: Schema.optionalKey(PostTime),
  tags: Schema.optionalKey(Tags),
  platform_overrides: Schema.optionalKey(PlatformOverrides),
  platform_settings: Schema.optionalKey(PlatformSettings),
  group_id: Schema.optionalKey(GroupId),
  status: Schema.optionalKey(OrderedStatus)
})
export type NewPost = typeof NewPost.Type

/** What a caller changes of a post; a member that is absent stays as it is. */
export const PostPatch = Schema.Struct({
  content: Schema.optionalKey(Content),
  scheduled_at: Schema.optionalKey(Schema.NullOr(PostTime)),
  tags: Schema.optionalKey(Tags),
  status: Schema.optionalKey(OrderedStatus)
})
export type PostPatch = typeof PostPatch.Type
