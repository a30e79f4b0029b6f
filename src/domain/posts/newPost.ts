import { Duration, Predicate, Schema } from "effect"
import type { Issue } from "../errors.ts"
import { GroupId } from "../ids.ts"
import { isMaxItems } from "../issueCodes.ts"
import { maxPostMedia, MediaReferences } from "../media/media.ts"
import { hasInvisible, isVisible } from "../plain/invisible.ts"
import { maxStoredTagLength, maxTagLength, maxTags } from "../plain/limits.ts"
import { Platforms } from "../platform.ts"
import { PlatformOverrides, PlatformSettings } from "./platformSettings.ts"
import { pastTolerance, PostTime, schedulingHorizon } from "./postTime.ts"
import { NewThread } from "./thread.ts"
import { PublishableText, Text } from "./text/publishableText.ts"

const Tag = Text.check(
  Schema.isMaxLength(maxStoredTagLength),
  Schema.isPattern(/\S/, { expected: "a tag that is not blank" }).abort(),
  Schema.makeFilter((text: string) => !hasInvisible(text), {
    expected: "a tag without invisible and direction-changing characters"
  }).abort(),
  // NUL has its own message.
  Schema.makeFilter((text: string) => isVisible(text) && !/(?!\0)[\p{Cc}\p{Zl}\p{Zp}]/u.test(text), {
    expected: "a tag of one line with a visible character"
  })
)

const Tags = Schema.Array(Tag).check(isMaxItems(100))

/** Instead of a time: the first free slot of the workspace's queue. */
export const Schedule = Schema.Literal("next_slot")

const slotRule =
  "`next_slot`: the next free slot of the workspace's queue, in place of a time. The slot is held for this post until it gets another time, is unscheduled or is deleted."

const OrderedStatus = Schema.Literals(["draft", "scheduled"])

export const NewPost = Schema.Struct({
  content: PublishableText.annotateKey({
    description:
      "The text for platforms without a text in `platform_overrides`; it may be blank only if there is `media`."
  }),
  platforms: Platforms.annotateKey({
    description: "The platforms to publish on; the workspace needs a connected account on each."
  }),
  schedule_at: Schema.optionalKey(PostTime).annotateKey({
    description: `When to publish: at most ${Duration.toDays(schedulingHorizon)} days ahead; a time up to ${Duration.toMinutes(pastTolerance)} minutes in the past counts as now. Omit it to create a draft.`
  }),
  schedule: Schema.optionalKey(Schedule).annotateKey({
    description: `${slotRule} The response's \`scheduled_at\` says which.`
  }),
  tags: Schema.optionalKey(Tags).annotateKey({
    description: `Internal tags, at most ${maxTags} of ${maxTagLength} characters; never published.`
  }),
  platform_overrides: Schema.optionalKey(PlatformOverrides).annotateKey({
    description: "Text by platform, which replaces `content` there."
  }),
  platform_settings: Schema.optionalKey(PlatformSettings).annotateKey({
    description: "Settings by platform; fields that a platform does not list are ignored."
  }),
  media: Schema.optionalKey(MediaReferences).annotateKey({
    description: `The post's files on every platform: up to ${maxPostMedia} images, of which most platforms accept 4, or one GIF or one video.`
  }),
  thread: Schema.optionalKey(NewThread).annotateKey({
    description:
      "The parts of a thread that follow `content`, each posted as a reply to the part before it once that is out."
  }),
  group_id: Schema.optionalKey(GroupId).annotateKey({
    description: "Any UUID; posts with the same one form a group, such as a thread or campaign."
  }),
  status: Schema.optionalKey(OrderedStatus).annotateKey({
    description: "Normally omitted. `draft` keeps the time without scheduling the post; `scheduled` requires a time."
  })
})
export type NewPost = typeof NewPost.Type

export const CopyOrder = Schema.Struct({
  what: Schema.optionalKey(Schema.Literals(["all", "missing"])).annotateKey({
    description:
      "`all`, the default: the whole post. `missing`: only for the platforms on which the post failed, if what failed is certainly not out; of a thread, the part that failed and those after it. The copy takes their place, so the post itself is not published there again."
  }),
  platforms: Schema.optionalKey(Platforms).annotateKey({
    description: "The platforms to copy, each one of the post's; by default all that `what` selects."
  }),
  schedule: Schema.optionalKey(Schedule).annotateKey({
    description:
      "`next_slot` schedules the copy at the next free slot of the workspace's queue. If it can't be scheduled, nothing is copied. Without it, the copy is a draft without a time."
  })
})
export type CopyOrder = typeof CopyOrder.Type

/** An omitted member stays as it is. */
export const PostPatch = Schema.Struct({
  content: Schema.optionalKey(PublishableText).annotateKey({
    description: "The text; it may be blank only if there is `media`."
  }),
  platforms: Schema.optionalKey(Platforms).annotateKey({
    description:
      "All platforms to publish on; replaces the existing ones, unless an attempt to publish the post has begun. The workspace needs a connected account on each that is added."
  }),
  scheduled_at: Schema.optionalKey(Schema.NullOr(PostTime)).annotateKey({
    description: "When to publish, under the rules of `schedule_at` on creation; null removes a draft's time."
  }),
  schedule: Schema.optionalKey(Schedule).annotateKey({
    description: `${slotRule} If the post holds the first free slot, it keeps it. As with a time, only \`status\` schedules a draft.`
  }),
  tags: Schema.optionalKey(Tags).annotateKey({
    description: "All tags; replaces the existing ones."
  }),
  platform_overrides: Schema.optionalKey(PlatformOverrides).annotateKey({
    description: "All texts by platform; replaces the existing ones."
  }),
  platform_settings: Schema.optionalKey(PlatformSettings).annotateKey({
    description: "All settings by platform; replaces the existing ones."
  }),
  media: Schema.optionalKey(MediaReferences).annotateKey({
    description: "All files that the post carries; replaces the existing ones."
  }),
  thread: Schema.optionalKey(NewThread).annotateKey({
    description: "All parts of the thread that follow `content`; replaces the existing ones."
  }),
  status: Schema.optionalKey(OrderedStatus).annotateKey({
    description: "`scheduled` schedules a draft, which requires a time; `draft` unschedules a scheduled post."
  }),
  keep_approval_request: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Whether a draft that waits for approval keeps waiting, at its new revision. By default it does if somebody who may approve changes only its time or tags; any other change voids the request. `true` needs the right to approve, and can't be sent with `status: scheduled`, which approves."
  })
})
export type PostPatch = typeof PostPatch.Type

type Timed = Pick<NewPost, "schedule" | "schedule_at"> | Pick<PostPatch, "schedule" | "scheduled_at">

/** A post has a time or takes a slot. */
export const findTwoTimes = (post: Timed): ReadonlyArray<Issue> => {
  const field = (["schedule_at", "scheduled_at"] as const).find((name) => Predicate.hasProperty(post, name))
  return post.schedule === undefined || field === undefined
    ? []
    : [{ path: ["schedule"], message: `Send either schedule or ${field}, not both` }]
}
