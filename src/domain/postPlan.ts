import { DateTime, Result } from "effect"
import { ContentTooLong, InvalidRequest, InvalidState, type Issue } from "./errors.ts"
import type { GroupId } from "./ids.ts"
import type { NewPost, PostPatch } from "./newPost.ts"
import { isLive, type Platform } from "./platform.ts"
import { listedSettings, type PlatformOverrides, type PlatformSettings } from "./platformSettings.ts"
import type { PostStatus } from "./post.ts"
import { refusalOfTime } from "./postTime.ts"
import { measureText, refusalOf } from "./text/textRules.ts"

/** A post as it is to be stored. */
export interface PostPlan {
  readonly status: "draft" | "scheduled"
  readonly content: string
  readonly platforms: ReadonlyArray<Platform>
  readonly scheduledAt: DateTime.Utc | null
  readonly tags: ReadonlyArray<string>
  readonly overrides: PlatformOverrides
  readonly settings: PlatformSettings
  readonly groupId: GroupId | null
}

/** What a plan needs to know of a stored post. */
export interface StoredPost extends Omit<PostPlan, "status" | "groupId"> {
  readonly status: PostStatus
  /** Whether an earlier attempt may have put a text of this post out already. */
  readonly maybeOut: boolean
}

/** The text that a platform gets: its override, or else the post's content. */
export const textFor = (platform: Platform, post: Pick<PostPlan, "content" | "overrides">): string =>
  post.overrides[platform] ?? post.content

const checkTime = (field: string, time: DateTime.Utc, now: DateTime.Utc): Result.Result<DateTime.Utc, Issue> => {
  const message = refusalOfTime(time, now)
  return message === undefined ? Result.succeed(DateTime.max(time, now)) : Result.fail({ path: [field], message })
}

const invalid = (errors: ReadonlyArray<Issue>) =>
  new InvalidRequest({ message: errors.map((error) => `${error.path.join(".")}: ${error.message}`).join("; "), errors })

/** Where the text that a platform gets stands in a request. */
export const textPath = (platform: Platform, overrides: PlatformOverrides): Issue["path"] =>
  overrides[platform] === undefined ? ["content"] : ["platform_overrides", platform]

/** Whether every live target's text is one that its platform takes. */
const checkTexts = (
  post: Pick<PostPlan, "content" | "overrides" | "platforms">
): Result.Result<void, ContentTooLong | InvalidRequest> => {
  const texts = post.platforms.filter(isLive).map((platform) => ({ platform, text: textFor(platform, post) }))
  const refused = texts.flatMap(({ platform, text }) => {
    const message = refusalOf(platform, text)
    return message === undefined ? [] : [{ path: textPath(platform, post.overrides), message }]
  })
  if (refused.length > 0) return Result.fail(invalid(refused))
  const violations = texts
    .map(({ platform, text }) => ({ platform, ...measureText(platform, text) }))
    .filter((measure) => !measure.valid)
    .map(({ platform, length, limit }) => ({ platform, length, limit }))
  return violations.length === 0
    ? Result.void
    : Result.fail(
        new ContentTooLong({
          message: violations
            .map(({ platform, length, limit }) => `${platform} takes ${limit}, this is ${length}`)
            .join("; "),
          violations
        })
      )
}

type PlanError = InvalidRequest | ContentTooLong

/** Decides how a new post is stored. */
export const planCreate = (post: NewPost, now: DateTime.Utc): Result.Result<PostPlan, PlanError> => {
  const time = post.schedule_at === undefined ? undefined : checkTime("schedule_at", post.schedule_at, now)
  if (time !== undefined && Result.isFailure(time)) return Result.fail(invalid([time.failure]))
  if (post.status === "scheduled" && time === undefined) {
    return Result.fail(invalid([{ path: ["schedule_at"], message: "Expected a time, because status is scheduled" }]))
  }
  const plan: PostPlan = {
    status: post.status ?? (time === undefined ? "draft" : "scheduled"),
    content: post.content,
    platforms: post.platforms,
    scheduledAt: time === undefined ? null : time.success,
    tags: post.tags ?? [],
    overrides: post.platform_overrides ?? {},
    settings: listedSettings(post.platform_settings ?? {}),
    groupId: post.group_id ?? null
  }
  return plan.status === "draft" ? Result.succeed(plan) : Result.map(checkTexts(plan), () => plan)
}

/** What an update leaves a post with. */
export type PostChange = Pick<PostPlan, "status" | "content" | "scheduledAt" | "tags">

/** Decides what an update makes of a post. */
export const planUpdate = (
  post: StoredPost,
  patch: PostPatch,
  now: DateTime.Utc
): Result.Result<PostChange, InvalidState | PlanError> => {
  if (post.status !== "draft" && post.status !== "scheduled") {
    return Result.fail(
      new InvalidState({ message: `A ${post.status} post can't be changed; only a draft or scheduled one can` })
    )
  }
  if (post.maybeOut && patch.content !== undefined) {
    return Result.fail(
      new InvalidState({ message: "The text can't be changed: an earlier attempt may have put it out already" })
    )
  }
  const status = patch.status ?? post.status
  const asked = patch.scheduled_at === undefined ? post.scheduledAt : patch.scheduled_at
  if (status === "scheduled" && asked === null) {
    return Result.fail(invalid([{ path: ["scheduled_at"], message: "Expected a time, because the post is scheduled" }]))
  }
  // A time that was accepted before and stays as it is may have come by now.
  const checked =
    asked !== null && (patch.scheduled_at !== undefined || (status !== post.status && status === "scheduled"))
      ? checkTime("scheduled_at", asked, now)
      : Result.succeed(asked)
  if (Result.isFailure(checked)) return Result.fail(invalid([checked.failure]))
  const change: PostChange = {
    status,
    content: patch.content ?? post.content,
    scheduledAt: checked.success,
    tags: patch.tags ?? post.tags
  }
  return status === "draft" ? Result.succeed(change) : Result.map(checkTexts({ ...post, ...change }), () => change)
}

/** Decides whether a post can be published now; a failed one tries its failed targets again. */
export const planPublish = (post: StoredPost): Result.Result<void, InvalidState | PlanError> =>
  post.status === "publishing" || post.status === "published"
    ? Result.fail(new InvalidState({ message: `A ${post.status} post can't be published again` }))
    : checkTexts(post)
