import { DateTime, Duration, Effect } from "effect"
import { toPostMedia } from "../../../src/domain/media/media.ts"
import type { PostPatch } from "../../../src/domain/posts/newPost.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import type { ThreadPart } from "../../../src/domain/posts/thread.ts"
import { plan } from "../../support/database/fixtures.ts"
import { fileOf } from "../library.ts"
import type { Prng } from "../prng.ts"
import { type Draw, drawPlace, none, operation, recent } from "./operation.ts"
import type { Store } from "./stores.ts"
import { planPublish, planUpdate } from "../../support/plans.ts"

/** Milliseconds until a post is due. */
const drawDelay = (prng: Prng): number =>
  prng.pick([
    () => 0,
    () => prng.between(0, 20_000),
    () => prng.between(0, 60_000),
    () => prng.between(0, 600_000),
    () => prng.between(0, 7_200_000)
  ])()

/** Posts share texts, so that a look can find another post with the same text. */
const drawText = (prng: Prng): string => `Text ${prng.between(1, 6)}`

const inMillis = (delay: number) => Effect.map(DateTime.now, (now) => DateTime.addDuration(now, Duration.millis(delay)))

/** The thread of a post, for some platforms or all; usually empty. */
const drawThread = (prng: Prng): ReadonlyArray<Omit<ThreadPart, "media"> & { readonly hasMedia: boolean }> =>
  prng.chance(0.6)
    ? []
    : Array.from({ length: prng.between(1, 3) }, () => ({
        content: drawText(prng),
        platform_overrides: prng.chance(0.15) ? { bluesky: drawText(prng) } : {},
        hasMedia: prng.chance(0.25),
        card: null,
        platforms: prng.chance(0.2) ? [prng.pick<LivePlatform>(["twitter", "bluesky"])] : null
      }))

export const createPost: Draw = (prng) => {
  const platforms = prng.pick<ReadonlyArray<LivePlatform>>([
    ["twitter"],
    ["bluesky"],
    ["twitter", "bluesky"],
    ["bluesky", "twitter"]
  ])
  const delay = prng.chance(0.15) ? null : drawDelay(prng)
  const content = drawText(prng)
  const overrides = prng.chance(0.15) ? { twitter: drawText(prng) } : {}
  const workspaceIndex = prng.between(0, 1)
  const hasMedia = prng.chance(0.4)
  const parts = drawThread(prng)
  const name = `create ${JSON.stringify({ workspaceIndex, platforms, delay, content, overrides, hasMedia, parts })}`
  return operation(name, ({ accounts, files, posts }, { repo }) =>
    Effect.gen(function* () {
      const workspace = accounts[2 * workspaceIndex]?.workspace
      const file = files[workspaceIndex]
      if (workspace === undefined || file === undefined) return yield* none
      const time = delay === null ? null : yield* inMillis(delay)
      const media = [toPostMedia(fileOf(file), "")]
      const created = yield* repo.posts.create(workspace, {
        ...plan(time, platforms),
        content,
        overrides,
        media: hasMedia ? media : [],
        thread: parts.map(({ hasMedia: carries, ...part }) => ({ ...part, media: carries ? media : [] }))
      })
      posts.push({ workspace, id: created.id })
      return created
    })
  )
}

/** An operation on an earlier operation's post, or on a claim's post. */
const onPost =
  (
    name: string,
    act: (
      repo: Store["replicas"][0]["repo"],
      post: Store["posts"][0]
    ) => Effect.Effect<unknown, { readonly _tag: string }>
  ): Draw =>
  (prng) => {
    const place = drawPlace(prng)
    const isOfClaim = prng.chance(0.5)
    return operation(`${name} (${isOfClaim ? "post of claim" : "post"} ${place})`, ({ claims, posts }, { repo }) => {
      const ofClaims = claims.map(({ postId, workspaceId }) => ({ id: postId, workspace: workspaceId }))
      const post = recent(isOfClaim ? ofClaims : posts, place)
      return post === undefined ? none : act(repo, post)
    })
  }

const drawPatch = (prng: Prng): ((now: DateTime.Utc) => PostPatch) => {
  const delay = drawDelay(prng)
  const text = drawText(prng)
  const time = (now: DateTime.Utc) => DateTime.addDuration(now, Duration.millis(delay))
  return prng.pick<(now: DateTime.Utc) => PostPatch>([
    () => ({ content: text }),
    () => ({ platform_overrides: { bluesky: text } }),
    () => ({ thread: [{ content: text }] }),
    (now) => ({ scheduled_at: time(now) }),
    (now) => ({ scheduled_at: time(now), status: "scheduled" }),
    () => ({ status: "draft" }),
    () => ({ tags: [text] })
  ])
}

export const updatePost: Draw = (prng) => {
  const patch = drawPatch(prng)
  const example = JSON.stringify(patch(DateTime.makeUnsafe(0)))
  return onPost(`update with ${example} from now on`, (repo, { id, workspace }) =>
    Effect.flatMap(DateTime.now, (now) =>
      repo.posts.update(workspace, id, (stored, library) => planUpdate(stored, patch(now), now, library))
    )
  )(prng)
}

export const publishPost = onPost("publish", (repo, { id, workspace }) =>
  repo.posts.publish(workspace, id, planPublish)
)

export const removePost = onPost("remove", (repo, { id, workspace }) => repo.posts.remove(workspace, id))

export const readPost = onPost("get", (repo, { id, workspace }) => repo.posts.get(workspace, id))
