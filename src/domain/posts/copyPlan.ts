import { Result } from "effect"
import type { Actor } from "../people/actor.ts"
import { ApprovalRequired, InvalidRequest, InvalidState, type Issue, OutcomeOpen } from "../errors.ts"
import type { PostId } from "../ids.ts"
import type { PostMedia } from "../media/media.ts"
import { type Library, refreshMedia } from "../media/mediaPlan.ts"
import { isBlank } from "../plain/blankText.ts"
import { namePlatforms } from "../plain/platforms.ts"
import type { Platform } from "../platform.ts"
import { type Attempted, mayBeOut } from "../publishing/openOutcome.ts"
import type { CopyOrder } from "./newPost.ts"
import { inThousands, maxGroupPosts } from "./postSize.ts"
import type { PlatformOverrides } from "./platformSettings.ts"
import { chainFor, type Thread, type Threaded, type ThreadPart } from "./thread.ts"

export interface OriginalTarget extends Attempted {
  readonly platform: Platform
  readonly copiedTo: PostId | null
  /** The number of the part that the target has reached, from 1. */
  readonly part: number
}

export interface OriginalPost extends Pick<Threaded<PostMedia>, "content" | "media" | "overrides"> {
  readonly thread: Thread
  readonly targets: ReadonlyArray<OriginalTarget>
}

/** The copy takes all other fields from the original. */
export interface CopyPlan {
  readonly platforms: ReadonlyArray<Platform>
  readonly content: string
  readonly overrides: PlatformOverrides
  readonly media: ReadonlyArray<PostMedia>
  readonly thread: Thread
  /** The copy begins with a later part of the original. */
  readonly isShortened: boolean
  /** The copy continues the original's thread, whose beginning is published. */
  readonly continues: boolean
  /** The copy takes over the original's targets on these platforms. */
  readonly takesOver: boolean
  readonly warnings: ReadonlyArray<Issue>
}

export const checkCopy = (actor: Actor, { what }: CopyOrder): Result.Result<void, ApprovalRequired> =>
  actor.requiresApproval && what === "missing"
    ? Result.fail(
        new ApprovalRequired({
          message:
            "This key may copy only a whole post: after a copy of what is missing, the post itself would not be published there again"
        })
      )
    : Result.void

const platformsOf = (targets: ReadonlyArray<OriginalTarget>) => targets.map(({ platform }) => platform)

const namedTargets = (
  { targets }: OriginalPost,
  { platforms }: CopyOrder
): Result.Result<ReadonlyArray<OriginalTarget>, InvalidRequest> => {
  if (platforms === undefined) return Result.succeed(targets)
  const issues = platforms.flatMap((platform, index): ReadonlyArray<Issue> =>
    targets.some((target) => target.platform === platform)
      ? []
      : [{ path: ["platforms", index], message: "Expected a platform of the post" }]
  )
  return issues.length > 0
    ? Result.fail(InvalidRequest.because(...issues))
    : Result.succeed(targets.filter(({ platform }) => platforms.includes(platform)))
}

const notMissing = (targets: ReadonlyArray<OriginalTarget>) => {
  const copied = targets.filter(({ copiedTo }) => copiedTo !== null)
  return new InvalidState({
    message:
      copied.length > 0
        ? `What is missing on ${namePlatforms(platformsOf(copied))} was copied already: publish that copy, or delete it first. ` +
          "If that copy was deleted after part of it was sent, only the whole post can be copied"
        : `Nothing is missing on ${namePlatforms(platformsOf(targets))}: the post has not failed there`
  })
}

/** Targets that failed and certainly are not published. */
const missingTargets = (
  named: ReadonlyArray<OriginalTarget>,
  isExplicit: boolean
): Result.Result<ReadonlyArray<OriginalTarget>, InvalidState | OutcomeOpen> => {
  const left = named.filter(({ copiedTo, status }) => status === "failed" && copiedTo === null)
  const open = left.filter(mayBeOut)
  if (open.length > 0) return Result.fail(OutcomeOpen.on(platformsOf(open)))
  const others = named.filter((target) => !left.includes(target))
  return left.length === 0 || (isExplicit && others.length > 0) ? Result.fail(notMissing(others)) : Result.succeed(left)
}

type Copied = Pick<CopyPlan, "content" | "media" | "overrides" | "thread" | "continues">

const differentParts = new InvalidState({
  message: "Different parts of the thread are missing on each platform; name only one platform in platforms"
})

/**
 * The rest of a post, beginning with the part that its targets have reached. All targets have to be at the same part,
 * because a copy has one content.
 */
const remaining = (post: OriginalPost, targets: ReadonlyArray<OriginalTarget>): Result.Result<Copied, InvalidState> => {
  const { content, media, overrides, thread } = post
  const starts = new Set(targets.map(({ part, platform }) => chainFor(platform, post)[part - 1]?.index ?? 0))
  const [start = 0, ...others] = starts
  if (others.length > 0) return Result.fail(differentParts)
  const first = thread[start - 1]
  return Result.succeed(
    first === undefined
      ? { content, media, overrides, thread, continues: false }
      : {
          content: first.content,
          media: first.media,
          overrides: first.platform_overrides,
          thread: partsFor(
            thread.slice(start),
            targets.map(({ platform }) => platform)
          ),
          continues: true
        }
  )
}

const partsFor = (thread: Thread, platforms: ReadonlyArray<Platform>): Thread =>
  thread.flatMap((part) => {
    if (part.platforms === null) return [part]
    const left = part.platforms.filter((platform) => platforms.includes(platform))
    return left.length === 0 ? [] : [{ ...part, platforms: left }]
  })

const explainLeftOut = (id: PostMedia["id"], library: Library): string | undefined => {
  const file = library.find((each) => each.id === id)
  if (file === undefined) return `The file ${id} is gone`
  return file.status === "failed" ? `The file ${id} could not be processed` : undefined
}

const keepFiles = (part: ThreadPart, library: Library) => {
  const named = part.media.map((file, index) => ({ file, index, why: explainLeftOut(file.id, library) }))
  const media = refreshMedia(
    named.flatMap(({ file, why }) => (why === undefined ? [file] : [])),
    library
  )
  return {
    part: { ...part, card: null, media },
    missing: named.flatMap(({ index, why }) => (why === undefined ? [] : [{ index, why }]))
  }
}

const hasContent = ({ part: { content, media } }: ReturnType<typeof keepFiles>) => !isBlank(content) || media.length > 0

const keepParts = (parts: ReadonlyArray<ThreadPart>, library: Library) => {
  const all = parts.map((part) => keepFiles(part, library))
  const kept = all.filter(hasContent)
  const warnings = all.flatMap((each): ReadonlyArray<Issue> => {
    const place = kept.indexOf(each)
    const { missing } = each
    if (place < 0) {
      const whys = missing.map(({ why }) => why).join(". ")
      return [{ path: ["thread"], message: `${whys}; the copy leaves out the part that has nothing else` }]
    }
    const path = place === 0 ? ["media"] : ["thread", place - 1, "media"]
    return missing.map(({ index, why }) => ({ path: [...path, index], message: `${why}; the copy is without it` }))
  })
  return { parts: kept.map(({ part }) => part), isShortened: kept[0] !== all[0], warnings }
}

export const groupLeftOut: Issue = {
  path: ["group_id"],
  message: `The group has ${inThousands(maxGroupPosts)} posts, which is the most that it may have; the copy is in no group`
}

export const planCopy = (
  post: OriginalPost,
  order: CopyOrder,
  library: Library
): Result.Result<CopyPlan, InvalidRequest | InvalidState | OutcomeOpen> =>
  Result.gen(function* () {
    const takesOver = order.what === "missing"
    const named = yield* namedTargets(post, order)
    const targets = takesOver ? yield* missingTargets(named, order.platforms !== undefined) : named
    const copied = takesOver
      ? yield* remaining(post, targets)
      : { ...post, thread: partsFor(post.thread, platformsOf(targets)), continues: false }
    const beginning: ThreadPart = {
      content: copied.content,
      platform_overrides: copied.overrides,
      media: copied.media,
      card: null,
      platforms: null
    }
    // If nothing is left of the beginning, the copy begins with the next part.
    const { isShortened, parts, warnings } = keepParts([beginning, ...copied.thread], library)
    const [first, ...thread] = parts
    if (first === undefined || first.platforms !== null) {
      return yield* Result.fail(
        new InvalidState({ message: "Nothing of this post is left to copy: it has no text, and its files are gone" })
      )
    }
    return {
      platforms: platformsOf(targets),
      content: first.content,
      overrides: first.platform_overrides,
      media: first.media,
      thread,
      isShortened,
      continues: copied.continues,
      takesOver,
      warnings
    }
  })
