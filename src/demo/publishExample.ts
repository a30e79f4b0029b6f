import { DateTime, Effect } from "effect"
import { enabledPlatforms } from "../domain/enabled.ts"
import { nextTargetId, type PostId, type WorkspaceId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { Notifier } from "../notifier/Notifier.ts"
import type { Connections } from "../platforms/Connection.ts"
import { CurrentRules } from "../platforms/rules.ts"
import { Repo } from "../repo/Repo.ts"
import type { SandboxPost } from "../sandbox/state/entry.ts"
import { failedEnding, publishedEnding, retriedEnding } from "./endings.ts"
import { type Example, platformsFor } from "./examples.ts"
import { atTime } from "./pastTime.ts"
import { timelinePost } from "./timelinePosts.ts"

const isSent = ({ story }: Example): boolean => !["Draft", "Submitted", "Rejected"].includes(story._tag)

interface DueExample {
  readonly workspaceId: WorkspaceId
  readonly postId: PostId
  readonly due: DateTime.Utc | null
  readonly now: DateTime.Utc
  readonly number: number
}

const endOn = Effect.fnUntraced(function* (
  example: Example,
  platform: LivePlatform,
  { due, now, number }: DueExample & { readonly due: DateTime.Utc },
  platforms: Connections
) {
  const { story } = example
  if (story._tag === "Failed" && story.platform === platform) {
    return { platform, post: undefined, ...failedEnding(due, platform, story.failure) }
  }
  if (story._tag === "Retried" && story.platform === platform) {
    return { platform, post: undefined, ...retriedEnding(due, platform, now) }
  }
  const targetId = yield* atTime(due)(nextTargetId)
  const { post, publication } = timelinePost(example, { platform, at: due, number, targetId }, platforms)
  return { platform, post, ...publishedEnding(due, platform, publication) }
})

/** Settles an example's targets if it was due before now. Returns the posts for the timelines. */
export const publishExample = Effect.fnUntraced(function* (
  example: Example,
  written: DueExample,
  platforms: Connections
) {
  const { due, now, postId, workspaceId } = written
  if (due === null || DateTime.isGreaterThanOrEqualTo(due, now) || !isSent(example)) return []
  const { examples } = yield* Repo
  const { postsSettled } = yield* Notifier
  const enabled = enabledPlatforms(yield* CurrentRules)
  const ends = yield* Effect.forEach(platformsFor(example, enabled), (platform) =>
    endOn(example, platform, { ...written, due }, platforms)
  )
  const inOrder = ends.toSorted((left, right) => DateTime.Order(left.at, right.at))
  yield* Effect.forEach(
    inOrder,
    ({ at, attempts, platform, settlement }) =>
      Effect.gen(function* () {
        const { ended, posts } = yield* examples.settle({ workspaceId, postId, platform, attempts }, settlement)
        yield* postsSettled(posts, [ended])
      }).pipe(atTime(at)),
    { discard: true }
  )
  return ends.flatMap(({ post }): ReadonlyArray<SandboxPost> => (post === undefined ? [] : [post]))
})
