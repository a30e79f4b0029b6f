import { Result } from "effect"
import type { Actor } from "../people/actor.ts"
import { ApprovalRequired, InvalidRequest, InvalidState, type Issue, type OutcomeOpen } from "../errors.ts"
import type { PostId } from "../ids.ts"
import { formatIssues } from "../issues.ts"
import type { PostMedia } from "../media/media.ts"
import { type Library, refreshMedia } from "../media/mediaPlan.ts"
import { namePlatforms } from "../plain/platforms.ts"
import type { Platform } from "../platform.ts"
import { type Attempted, mayBeOut, outcomeOpen } from "../publishing/openOutcome.ts"
import type { CopyOrder } from "./newPost.ts"
import { inThousands, maxGroupPosts } from "./postSize.ts"
import { isBlank } from "./text/textRules.ts"

/** A target of a post to copy. */
export interface OriginalTarget extends Attempted {
  readonly platform: Platform
  /** The copy that has taken it over. */
  readonly copiedTo: PostId | null
}

/** What of a post decides what a copy of it has. */
export interface OriginalPost {
  readonly content: string
  readonly media: ReadonlyArray<PostMedia>
  /** In their order. */
  readonly targets: ReadonlyArray<OriginalTarget>
}

/** A copy as it is to be stored. What is not named here is the original's. */
export interface CopyPlan {
  readonly platforms: ReadonlyArray<Platform>
  readonly media: ReadonlyArray<PostMedia>
  /** Whether it takes over the original's targets on these platforms. */
  readonly takesOver: boolean
  /** What of the original it is without. */
  readonly warnings: ReadonlyArray<Issue>
}

/** A key that requires approval can copy a post, but can't keep the post itself from being published again. */
export const checkCopy = (actor: Actor, { what }: CopyOrder): Result.Result<void, ApprovalRequired> =>
  actor.requiresApproval && what === "missing"
    ? Result.fail(
        new ApprovalRequired({
          message:
            "This key may copy a whole post, not what is missing of one: the post would not be published there again"
        })
      )
    : Result.void

const platformsOf = (targets: ReadonlyArray<OriginalTarget>) => targets.map(({ platform }) => platform)

const otherPlatforms = (issues: ReadonlyArray<Issue>) =>
  new InvalidRequest({ message: formatIssues(issues), errors: issues })

/** The targets that a request names, in the post's order; all of them where it names none. */
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
    ? Result.fail(otherPlatforms(issues))
    : Result.succeed(targets.filter(({ platform }) => platforms.includes(platform)))
}

const notMissing = (targets: ReadonlyArray<OriginalTarget>) => {
  const copied = targets.filter(({ copiedTo }) => copiedTo !== null)
  return new InvalidState({
    message:
      copied.length > 0
        ? `What is missing on ${namePlatforms(platformsOf(copied))} was copied already: publish that copy, or delete it first`
        : `The post is not missing on ${namePlatforms(platformsOf(targets))}: it has not failed there`
  })
}

/** The targets on which a post is missing: it failed there, and nothing of it can be out. */
const missingTargets = (
  named: ReadonlyArray<OriginalTarget>,
  isExplicit: boolean
): Result.Result<ReadonlyArray<OriginalTarget>, InvalidState | OutcomeOpen> => {
  const left = named.filter(({ copiedTo, status }) => status === "failed" && copiedTo === null)
  const open = left.filter(mayBeOut)
  if (open.length > 0) return Result.fail(outcomeOpen(platformsOf(open)))
  const others = named.filter((target) => !left.includes(target))
  return left.length === 0 || (isExplicit && others.length > 0) ? Result.fail(notMissing(others)) : Result.succeed(left)
}

/** Why a file is not in the copy; undefined where it is. */
const explainLeftOut = (id: PostMedia["id"], library: Library): string | undefined => {
  const file = library.find((each) => each.id === id)
  if (file === undefined) return `The file ${id} is gone; the copy is without it`
  return file.status === "failed" ? `The file ${id} could not be processed; the copy is without it` : undefined
}

/** Says that the copy is in no group. */
export const groupLeftOut: Issue = {
  path: ["group_id"],
  message: `The group has ${inThousands(maxGroupPosts)} posts, which is as many as it may have; the copy is in none`
}

/** Decides what a copy of a post has. `library` has those of the post's files that are there still. */
export const planCopy = (
  post: OriginalPost,
  order: CopyOrder,
  library: Library
): Result.Result<CopyPlan, InvalidRequest | InvalidState | OutcomeOpen> =>
  Result.gen(function* () {
    const takesOver = order.what === "missing"
    const named = yield* namedTargets(post, order)
    const targets = takesOver ? yield* missingTargets(named, order.platforms !== undefined) : named
    const files = post.media.map((file, index) => ({ file, index, leftOut: explainLeftOut(file.id, library) }))
    const media = files.flatMap(({ file, leftOut }) => (leftOut === undefined ? [file] : []))
    if (isBlank(post.content) && media.length === 0) {
      return yield* Result.fail(
        new InvalidState({ message: "Nothing of this post is left to copy: it has no text, and its files are gone" })
      )
    }
    return {
      platforms: platformsOf(targets),
      media: refreshMedia(media, library),
      takesOver,
      warnings: files.flatMap(({ index, leftOut }): ReadonlyArray<Issue> =>
        leftOut === undefined ? [] : [{ path: ["media", index], message: leftOut }]
      )
    }
  })
