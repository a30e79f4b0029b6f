import { Array as Arr, DateTime, Equal, Result } from "effect"
import { ContentTooLong, InvalidRequest, InvalidState, type Issue, MediaNotReady } from "../errors.ts"
import type { ApiKeyId, GroupId } from "../ids.ts"
import { formatIssues } from "../issues.ts"
import type { LinkCard } from "./linkCard.ts"
import type { MediaReference, PostMedia } from "../media/media.ts"
import { type Library, type PlannedMedia, planMedia, storedReferences } from "../media/mediaPlan.ts"
import type { NewPost, PostPatch } from "./newPost.ts"
import type { Platform } from "../platform.ts"
import { listedSettings, type PlatformOverrides, type PlatformSettings } from "./platformSettings.ts"
import type { PostStatus } from "./post.ts"
import type { Rules } from "./platformRules.ts"
import { explainSize, maxPostBytes, postBytes } from "./postSize.ts"
import { findBlankTexts, findForeignPlatforms, findTextFaults, lengthIssues, type Texts } from "./postTexts.ts"
import { withKeptPictures } from "./picturePlan.ts"
import { checkPostTime, type TimeFault } from "./postTime.ts"
import { findTagIssues } from "./tagBounds.ts"
import { type Thread, threadMedia } from "./thread.ts"
import { planThread, storedParts } from "./threadPlan.ts"

export interface PostPlan {
  readonly status: "draft" | "scheduled"
  readonly content: string
  readonly platforms: ReadonlyArray<Platform>
  readonly scheduledAt: DateTime.Utc | null
  readonly tags: ReadonlyArray<string>
  readonly overrides: PlatformOverrides
  readonly settings: PlatformSettings
  readonly media: ReadonlyArray<PostMedia>
  readonly thread: Thread
  readonly groupId: GroupId | null
}

export const firstRevision = 1

export interface StoredPost extends Omit<PostPlan, "status" | "groupId"> {
  readonly status: PostStatus
  /** Grows with every change of text, overrides, settings, media, tags, time, platforms, or an account. */
  readonly revision: number
  /** Null if a person created the post, or if it was created before this was recorded. */
  readonly createdByKey: ApiKeyId | null
  readonly approvalRequestedRevision: number | null
  /** Null if this revision was not rejected. Read only for decisions. */
  readonly rejectedFor?: string | null
  readonly card?: LinkCard | null
  /** True if a part is published, or if an attempt might have published one, even an attempt from before a restore. */
  readonly maybePublished: boolean
  /** True even if only one part of a thread is published. */
  readonly isSomewhereOut: boolean
  /** True if a failed target might be published. */
  readonly hasUnknownOutcome: boolean
  /** True if a target was claimed or might have been sent. It can't be removed then. */
  readonly isBegun: boolean
  /** True if the post failed and copies have taken over all failed targets. */
  readonly isCopied: boolean
}

export const textFor = (platform: Platform, post: Pick<PostPlan, "content" | "overrides">): string =>
  post.overrides[platform] ?? post.content

/**
 * Reports all problems together, including `issues`. Texts that are too long, and media that are not ready, have their
 * own errors if they are the only problem.
 */
const checkScheduled = (
  rules: Rules,
  post: Texts,
  { issues: mediaIssues, notReady }: PlannedMedia,
  issues: ReadonlyArray<Issue> = []
): Result.Result<void, PlanError> => {
  const { refused, tooLong } = findTextFaults(rules, post)
  const others = [...issues, ...refused, ...mediaIssues]
  if (others.length > 0 || (tooLong.length > 0 && notReady.length > 0)) {
    return Result.fail(InvalidRequest.because(...others, ...notReady, ...lengthIssues(tooLong)))
  }
  if (notReady.length > 0) return Result.fail(new MediaNotReady({ message: formatIssues(notReady), errors: notReady }))
  if (tooLong.length === 0) return Result.void
  const errors = lengthIssues(tooLong)
  const message = errors.map((error) => error.message).join("; ")
  return Result.fail(new ContentTooLong({ message, violations: tooLong.map(({ violation }) => violation), errors }))
}

/** A draft may have texts that its platforms refuse, but no other problem. */
const checkPost = (
  rules: Rules,
  post: Texts & Pick<PostPlan, "status">,
  media: PlannedMedia,
  issues: ReadonlyArray<Issue>
) => {
  if (post.status === "scheduled") return checkScheduled(rules, post, media, issues)
  const all = [...issues, ...media.issues]
  return all.length === 0 ? Result.void : Result.fail(InvalidRequest.because(...all))
}

/** A post that an earlier version stored above the limit can keep its size, but not grow. */
const findSizeIssues = (
  post: Parameters<typeof postBytes>[0],
  before?: Parameters<typeof postBytes>[0]
): ReadonlyArray<Issue> => {
  const bytes = postBytes(post)
  return bytes <= maxPostBytes || (before !== undefined && bytes <= postBytes(before))
    ? []
    : [{ path: [], message: explainSize(bytes) }]
}

const findTimeIssues = (time: Result.Result<unknown, TimeFault>, field: string): ReadonlyArray<Issue> =>
  Result.isFailure(time) ? [{ path: [field], message: time.failure.message, ...time.failure.meaning }] : []

type PlanError = InvalidRequest | ContentTooLong | MediaNotReady

/** None if the plan succeeds, or fails only because of the post's state. */
export const planIssues = (plan: Result.Result<unknown, InvalidState | PlanError>): ReadonlyArray<Issue> =>
  Result.isSuccess(plan) || plan.failure._tag === "InvalidState" ? [] : plan.failure.errors

export const missingTime: Issue = {
  path: ["schedule_at"],
  message: "Expected a time, because status is scheduled",
  code: "time_missing"
}

const lostTime: Issue = {
  path: ["scheduled_at"],
  message: "Expected a time, because the post is scheduled",
  code: "time_missing"
}

const bothMedia = (
  planned: PlannedMedia,
  { doubts, issues, notReady }: Pick<PlannedMedia, "issues" | "notReady" | "doubts">
): PlannedMedia => ({
  media: planned.media,
  issues: [...planned.issues, ...issues],
  notReady: [...planned.notReady, ...notReady],
  doubts: [...planned.doubts, ...doubts]
})

export const planCreate = (
  rules: Rules,
  post: NewPost,
  now: DateTime.Utc,
  library: Library | null = []
): Result.Result<PostPlan, PlanError> => {
  const time = post.schedule_at === undefined ? Result.succeed(null) : checkPostTime(post.schedule_at, now)
  const lacksTime = post.status === "scheduled" && post.schedule_at === undefined
  const status = post.status ?? (post.schedule_at === undefined ? "draft" : "scheduled")
  const context = { library, platforms: post.platforms, status }
  const settings = listedSettings(post.platform_settings ?? {})
  const planned = planMedia(rules, post.media ?? [], { ...context, settings })
  const parts = planThread(rules, post.thread ?? [], context)
  const plan: PostPlan = {
    status,
    content: post.content,
    platforms: post.platforms,
    scheduledAt: Result.getOrElse(time, () => null),
    tags: Arr.dedupe(post.tags ?? []),
    overrides: post.platform_overrides ?? {},
    settings,
    media: planned.media,
    thread: parts.thread,
    groupId: post.group_id ?? null
  }
  const texts = { ...plan, media: post.media ?? [], thread: post.thread ?? [] }
  const issues = [
    ...findBlankTexts(texts),
    ...findForeignPlatforms(texts),
    ...(lacksTime ? [missingTime] : []),
    ...findTimeIssues(time, "schedule_at"),
    ...findTagIssues(post.tags),
    ...findSizeIssues(plan)
  ]
  return Result.map(checkPost(rules, texts, bothMedia(planned, parts), issues), () => plan)
}

type Revised = Pick<
  PostPlan,
  "content" | "platforms" | "scheduledAt" | "tags" | "overrides" | "settings" | "media" | "thread"
>

export interface PostChange extends Revised, Pick<PostPlan, "status"> {
  readonly revision: number
  /** True if a draft that waits for approval keeps waiting at the new revision. */
  readonly keepsRequest?: boolean
  /** Absent if the card stays. */
  readonly card?: LinkCard | null
}

export const isSameTime = (left: DateTime.Utc | null, right: DateTime.Utc | null): boolean =>
  left === null || right === null ? left === right : DateTime.Equivalence(left, right)

export const isSameMedia = (left: ReadonlyArray<PostMedia>, right: ReadonlyArray<PostMedia>): boolean =>
  Equal.equals(storedReferences(left), storedReferences(right))

/** Ignores cards, which are derived from the texts. */
export const isSameThread = (left: Thread, right: Thread): boolean =>
  Equal.equals(storedParts(left), storedParts(right))

/** True if both send the same to the same platforms, perhaps at another time. */
export const sendsSame = (left: Revised, right: Revised): boolean =>
  left.content === right.content &&
  Equal.equals(left.platforms, right.platforms) &&
  Equal.equals(left.overrides, right.overrides) &&
  Equal.equals(left.settings, right.settings) &&
  isSameMedia(left.media, right.media) &&
  isSameThread(left.thread, right.thread)

const isSame = (left: Revised, right: Revised): boolean =>
  sendsSame(left, right) && isSameTime(left.scheduledAt, right.scheduledAt) && Equal.equals(left.tags, right.tags)

const afterPatch = (post: Pick<StoredPost, "media" | "thread">, patch: Pick<PostPatch, "media" | "thread">) => ({
  media: patch.media ?? storedReferences(post.media),
  thread: patch.thread ?? storedParts(post.thread)
})

export const referencesAfter = (
  post: Pick<StoredPost, "media" | "thread">,
  patch: Pick<PostPatch, "media" | "thread">
): ReadonlyArray<MediaReference> => threadMedia(afterPatch(post, patch))

export const platformsAfter = (
  { platforms }: Pick<StoredPost, "platforms">,
  patch: Pick<PostPatch, "platforms">
): ReadonlyArray<Platform> => {
  const { platforms: named = platforms } = patch
  return [
    ...platforms.filter((platform) => named.includes(platform)),
    ...named.filter((platform) => !platforms.includes(platform))
  ]
}

/** The texts that a change leads to. */
export const textsAfter = (post: StoredPost, patch: PostPatch) => ({
  ...afterPatch(post, patch),
  content: patch.content ?? post.content,
  overrides: patch.platform_overrides ?? post.overrides,
  platforms: platformsAfter(post, patch)
})

const refuse = (message: string) => Result.fail(new InvalidState({ message }))

export const planUpdate = (
  rules: Rules,
  post: StoredPost,
  patch: PostPatch,
  now: DateTime.Utc,
  library: Library = []
): Result.Result<PostChange, InvalidState | PlanError> => {
  if (post.status !== "draft" && post.status !== "scheduled") {
    return refuse(`A ${post.status} post can't be changed; only a draft or scheduled one can`)
  }
  const { content, media: references, overrides, platforms, thread: named } = textsAfter(post, patch)
  if (post.isBegun && !Equal.equals(platforms, post.platforms)) {
    return refuse(
      "The platforms can't be changed: an attempt to publish the post has begun, or it continues a thread. To publish elsewhere, copy the post"
    )
  }
  const settings =
    patch.platform_settings === undefined
      ? post.settings
      : withKeptPictures(listedSettings(patch.platform_settings), post.settings)
  const status = patch.status ?? post.status
  const context = { library, platforms, status }
  const planned = planMedia(rules, references, {
    ...context,
    settings,
    ...(patch.media === undefined ? { stored: post.media } : {})
  })
  const parts = planThread(rules, named, patch.thread === undefined ? { ...context, stored: post.thread } : context)
  const { media } = planned
  const { thread } = parts
  const sendsOther =
    content !== post.content ||
    !Equal.equals(overrides, post.overrides) ||
    !Equal.equals(settings, post.settings) ||
    !isSameMedia(media, post.media) ||
    !isSameThread(thread, post.thread)
  if (post.maybePublished && sendsOther) {
    return refuse(
      "The text, the settings, the media and the thread can't be changed: part of the post is published, or may be. To change them, copy the post"
    )
  }
  if (post.isSomewhereOut && status === "draft" && post.status !== "draft") {
    return refuse("The post can't become a draft: part of it is published. Change its time instead")
  }
  const requested = patch.scheduled_at === undefined ? post.scheduledAt : patch.scheduled_at
  const lacksTime = status === "scheduled" && requested === null
  // The stored time can have passed. It is checked only if it changes or the post becomes scheduled.
  const time =
    requested !== null &&
    (!isSameTime(requested, post.scheduledAt) || (status !== post.status && status === "scheduled"))
      ? checkPostTime(requested, now)
      : Result.succeed(requested)
  const scheduledAt = Result.getOrElse(time, () => requested)
  const revised = {
    content,
    platforms,
    scheduledAt,
    tags: patch.tags === undefined ? post.tags : Arr.dedupe(patch.tags),
    overrides,
    settings,
    media,
    thread
  }
  const revision = isSame(revised, post) ? post.revision : post.revision + 1
  const change: PostChange = { ...revised, status, revision }
  const changed = { ...post, ...change }
  const texts = { ...changed, media: references, thread: named, kept: post.platforms }
  const issues = [
    ...findBlankTexts(texts),
    // If the thread is not changed, its parts for a removed platform stay unused, as the platform's texts do.
    ...(patch.thread === undefined ? [] : findForeignPlatforms(texts, post.thread)),
    ...(lacksTime ? [lostTime] : []),
    ...findTimeIssues(time, "scheduled_at"),
    ...findTagIssues(patch.tags, post.tags),
    ...findSizeIssues(changed, post)
  ]
  return Result.map(checkPost(rules, texts, bothMedia(planned, parts), issues), () => change)
}

const planStored = (
  rules: Rules,
  { media, platforms, settings, thread }: StoredPost,
  library: Library
): PlannedMedia => {
  const context = { library, platforms, status: "scheduled" } as const
  return bothMedia(
    planMedia(rules, storedReferences(media), { ...context, settings }),
    planThread(rules, storedParts(thread), context)
  )
}

/**
 * Publishing a failed post retries the failed targets that no copy has taken over. A post that is being published stays
 * as it is.
 */
export const planPublish = (
  rules: Rules,
  post: StoredPost,
  library: Library = []
): Result.Result<void, InvalidState | PlanError> => {
  if (post.isCopied) {
    return refuse(
      "A copy took the place of what failed in this post: publish the copy, or delete it first. If the copy was deleted after part of it was sent, this post is not published again, because it could go out twice"
    )
  }
  switch (post.status) {
    case "published":
      return refuse("A published post can't be published again")
    case "publishing":
      return Result.void
    default:
      return checkScheduled(rules, { ...post, kept: post.platforms }, planStored(rules, post, library))
  }
}
