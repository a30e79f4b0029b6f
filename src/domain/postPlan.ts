import { DateTime, Equal, Result } from "effect"
import { ContentTooLong, InvalidRequest, InvalidState, type Issue } from "./errors.ts"
import type { ApiKeyId, GroupId } from "./ids.ts"
import { formatIssues } from "./issues.ts"
import type { NewPost, PostPatch } from "./newPost.ts"
import { isLive, type Platform } from "./platform.ts"
import { listedSettings, type PlatformOverrides, type PlatformSettings } from "./platformSettings.ts"
import type { PostStatus } from "./post.ts"
import { explainSize, maxPostBytes, postBytes } from "./postSize.ts"
import { choosePostTime } from "./postTime.ts"
import { explainRefusal, measureText } from "./text/textRules.ts"

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

/** The revision of a post that was not changed since it was created. */
export const firstRevision = 1

/** The fields of a stored post that plans depend on. */
export interface StoredPost extends Omit<PostPlan, "status" | "groupId"> {
  readonly status: PostStatus
  /** Grows with every change of the text, the overrides, the settings, the tags, the time or an account. */
  readonly revision: number
  /** The API key that created the post; null where a person did, and for posts from before this was recorded. */
  readonly createdByKey: ApiKeyId | null
  /** The revision that a person was last asked to approve. */
  readonly approvalRequestedRevision: number | null
  /** Whether an earlier attempt may have published this post's text already, by a process from before a restore too. */
  readonly maybePublished: boolean
}

/** The text that a platform gets: its override, or else the post's content. */
export const textFor = (platform: Platform, post: Pick<PostPlan, "content" | "overrides">): string =>
  post.overrides[platform] ?? post.content

/** Where the text for a platform stands in a request. */
export const textPath = (platform: Platform, overrides: PlatformOverrides): Issue["path"] =>
  overrides[platform] === undefined ? ["content"] : ["platform_overrides", platform]

const invalid = (...errors: ReadonlyArray<Issue>) => new InvalidRequest({ message: formatIssues(errors), errors })

type LengthViolation = ContentTooLong["violations"][number]

/** `twitter takes 280, this is 312`. */
export const formatLengthViolation = ({ length, limit, platform }: LengthViolation): string =>
  `${platform} takes ${limit}, this is ${length}`

const checkTime = (
  field: string,
  requested: DateTime.Utc,
  now: DateTime.Utc
): Result.Result<DateTime.Utc, InvalidRequest> =>
  Result.mapError(choosePostTime(requested, now), (message) => invalid({ path: [field], message }))

/** Checks that every live platform accepts its text. */
const checkTexts = (
  post: Pick<PostPlan, "content" | "overrides" | "platforms">
): Result.Result<void, ContentTooLong | InvalidRequest> => {
  const texts = post.platforms.filter(isLive).map((platform) => ({ platform, text: textFor(platform, post) }))
  const refused = texts.flatMap(({ platform, text }) => {
    const message = explainRefusal(platform, text)
    return message === undefined ? [] : [{ path: textPath(platform, post.overrides), message }]
  })
  if (refused.length > 0) return Result.fail(invalid(...refused))
  const violations = texts
    .map(({ platform, text }) => ({ platform, ...measureText(platform, text) }))
    .filter((measure) => !measure.valid)
    .map(({ platform, length, limit }) => ({ platform, length, limit }))
  return violations.length === 0
    ? Result.void
    : Result.fail(new ContentTooLong({ message: violations.map(formatLengthViolation).join("; "), violations }))
}

/** Checks the size of a post. One that is larger, because an earlier version stored it, may stay so but not grow. */
const checkSize = (
  post: Parameters<typeof postBytes>[0],
  before?: Parameters<typeof postBytes>[0]
): Result.Result<void, InvalidRequest> => {
  const bytes = postBytes(post)
  return bytes <= maxPostBytes || (before !== undefined && bytes <= postBytes(before))
    ? Result.void
    : Result.fail(invalid({ path: [], message: explainSize(bytes) }))
}

type PlanError = InvalidRequest | ContentTooLong

/** Decides how a new post is stored. */
export const planCreate = (post: NewPost, now: DateTime.Utc): Result.Result<PostPlan, PlanError> => {
  const time = post.schedule_at === undefined ? undefined : checkTime("schedule_at", post.schedule_at, now)
  if (time !== undefined && Result.isFailure(time)) return Result.fail(time.failure)
  if (post.status === "scheduled" && time === undefined) {
    return Result.fail(invalid({ path: ["schedule_at"], message: "Expected a time, because status is scheduled" }))
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
  const checked = Result.flatMap(checkSize(plan), () => (plan.status === "draft" ? Result.void : checkTexts(plan)))
  return Result.map(checked, () => plan)
}

/** What of a post counts as its revision. */
type Revised = Pick<PostPlan, "content" | "scheduledAt" | "tags" | "overrides" | "settings">

/** The fields of a post after an update. */
export interface PostChange extends Revised, Pick<PostPlan, "status"> {
  readonly revision: number
}

const isSameTime = (left: DateTime.Utc | null, right: DateTime.Utc | null): boolean =>
  left === null || right === null ? left === right : DateTime.Equivalence(left, right)

const isSame = (left: Revised, right: Revised): boolean =>
  left.content === right.content &&
  isSameTime(left.scheduledAt, right.scheduledAt) &&
  Equal.equals(left.tags, right.tags) &&
  Equal.equals(left.overrides, right.overrides) &&
  Equal.equals(left.settings, right.settings)

/** Decides how an update changes a post. */
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
  const content = patch.content ?? post.content
  const overrides = patch.platform_overrides ?? post.overrides
  const settings = patch.platform_settings === undefined ? post.settings : listedSettings(patch.platform_settings)
  const sendsOther =
    content !== post.content || !Equal.equals(overrides, post.overrides) || !Equal.equals(settings, post.settings)
  if (post.maybePublished && sendsOther) {
    return Result.fail(
      new InvalidState({
        message: "The text and the settings can't be changed: an earlier attempt may have published them already"
      })
    )
  }
  const status = patch.status ?? post.status
  const requested = patch.scheduled_at === undefined ? post.scheduledAt : patch.scheduled_at
  if (status === "scheduled" && requested === null) {
    return Result.fail(invalid({ path: ["scheduled_at"], message: "Expected a time, because the post is scheduled" }))
  }
  // A time that was accepted earlier and does not change may have passed since, so it is not checked again.
  const checked =
    requested !== null &&
    (!isSameTime(requested, post.scheduledAt) || (status !== post.status && status === "scheduled"))
      ? checkTime("scheduled_at", requested, now)
      : Result.succeed(requested)
  if (Result.isFailure(checked)) return Result.fail(checked.failure)
  const revised = { content, scheduledAt: checked.success, tags: patch.tags ?? post.tags, overrides, settings }
  const revision = isSame(revised, post) ? post.revision : post.revision + 1
  const change: PostChange = { ...revised, status, revision }
  const changed = { ...post, ...change }
  const fits = Result.flatMap(checkSize(changed, post), () => (status === "draft" ? Result.void : checkTexts(changed)))
  return Result.map(fits, () => change)
}

/**
 * Decides whether a post can be published now. A failed post retries its failed targets, and a post that is being published
 * stays as it stands.
 */
export const planPublish = (post: StoredPost): Result.Result<void, InvalidState | PlanError> => {
  switch (post.status) {
    case "published":
      return Result.fail(new InvalidState({ message: "A published post can't be published again" }))
    case "publishing":
      return Result.void
    default:
      return checkTexts(post)
  }
}
