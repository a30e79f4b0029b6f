import { DateTime, Effect } from "effect"
import { InvalidState, NotFound } from "../../src/domain/errors.ts"
import type { PostId, WorkspaceId } from "../../src/domain/ids.ts"
import { isLive } from "../../src/domain/plain/platforms.ts"
import { mayBePublished } from "../../src/domain/plain/posts.ts"
import type { Post } from "../../src/domain/posts/post.ts"
import type { StoredPost } from "../../src/domain/posts/postPlan.ts"
import { showError } from "../../src/domain/posts/shownError.ts"
import { showParts } from "../../src/domain/posts/targetParts.ts"
import { chainFor, hasSameFiles, threadMedia } from "../../src/domain/posts/thread.ts"
import { isDueSoon } from "../../src/domain/pollInterval.ts"
import { looksBeforeResend } from "../../src/domain/publishing/retryPolicy.ts"
import { startOf } from "../../src/domain/publishing/uploadPolicy.ts"
import { namedFiles } from "../../src/domain/media/mediaPlan.ts"
import type { Posts } from "../../src/repo/posts/Posts.ts"
import type { Connection } from "./connection.ts"
import type { Ids } from "./ids.ts"
import { fileOf } from "./library.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import { cancelUploads, hasUploads, heldUntil, orderUploads } from "./uploadOrders.ts"
import type { World } from "./world.ts"
import type { PostRow, TargetRow } from "./rows.ts"

const millis = (time: DateTime.Utc | null) => (time === null ? null : DateTime.toEpochMillis(time))
const instant = (time: number | null) => (time === null ? null : DateTime.makeUnsafe(time))

/** In the post's order. */
export const targetsOf = (open: Transaction, id: PostId) =>
  open.targets
    .all()
    .filter((row) => row.postId === id)
    .toSorted((left, right) => left.position - right.position)

const shownError = (post: PostRow, { error, platform }: TargetRow) =>
  error === null ? null : showError(error, platform, chainFor(platform, post).length)

/** A target that its platform is processing is stored as `pending`, because no process works on it. */
export const shownStatus = ({ dueAt, processingSince, status }: TargetRow): TargetRow["status"] =>
  processingSince !== null && status === "pending" && dueAt !== null ? "publishing" : status

const toPost = (open: Transaction, row: PostRow): Post => ({
  id: row.id,
  status: row.status,
  content: row.content,
  scheduled_at: instant(row.scheduledAt),
  published_at: instant(row.publishedAt),
  tags: row.tags,
  platform_overrides: row.overrides,
  platform_settings: row.settings,
  media: row.media,
  thread: row.thread,
  card: null,
  approval: null,
  group_id: null,
  copied_from: null,
  reply_to: null,
  revision: row.revision,
  created_by: null,
  created_at: DateTime.makeUnsafe(row.createdAt),
  post_targets: targetsOf(open, row.id).map((target) => ({
    status: shownStatus(target),
    platform_post_url: target.url,
    published_at: instant(target.publishedAt),
    error: shownError(row, target),
    account_id: target.accountId,
    parts:
      row.thread.length === 0
        ? null
        : showParts(row, {
            ...target,
            status: shownStatus(target),
            error: shownError(row, target),
            published: target.parts ?? []
          }).map(({ published_at, ...part }) => ({
            ...part,
            published_at: published_at === null ? null : DateTime.makeUnsafe(published_at)
          })),
    copied_to: null,
    integrations: { platform: target.platform },
    ...(target.processingSince === null || target.dueAt === null
      ? {}
      : { processing_since: DateTime.makeUnsafe(target.processingSince) })
  }))
})

const toStoredPost = (open: Transaction, row: PostRow): StoredPost => ({
  status: row.status,
  content: row.content,
  platforms: row.platforms,
  scheduledAt: instant(row.scheduledAt),
  tags: row.tags,
  overrides: row.overrides,
  settings: row.settings,
  media: row.media,
  thread: row.thread,
  revision: row.revision,
  createdByKey: null,
  approvalRequestedRevision: null,
  maybePublished: targetsOf(open, row.id).some(
    ({ part, sentAt, status }) => status === "published" || sentAt !== null || part > 1
  ),
  isSomewhereOut: targetsOf(open, row.id).some(({ part, status }) => status === "published" || part > 1),
  hasUnknownOutcome: targetsOf(open, row.id).some(
    ({ error, status }) => status === "failed" && error !== null && mayBePublished(error)
  ),
  isBegun: targetsOf(open, row.id).some(
    ({ attempts, part, sentAt, status }) => status !== "pending" || attempts > 0 || part > 1 || sentAt !== null
  ),
  isCopied: false
})

const notFound = new NotFound({ message: "There is no such post in this workspace" })
const inFlight = new InvalidState({
  message: "The post is being sent right now, or its platform is processing it; try again when that has ended"
})

/** The operations of src/repo/posts that users request. */
export const makeMemoryPosts = (
  world: Pick<World, "now">,
  database: MemoryDatabase,
  ids: Ids,
  { statement, transaction }: Connection
): Pick<Posts, "create" | "get" | "update" | "publish" | "remove"> => {
  const find = (open: Transaction, workspaceId: WorkspaceId, id: PostId) =>
    Effect.suspend(() => {
      const row = open.posts.get(id)
      return row === undefined || row.workspaceId !== workspaceId ? Effect.fail(notFound) : Effect.succeed(row)
    })

  const lock = (workspaceId: WorkspaceId, id: PostId) =>
    statement("locking a post", (open) =>
      Effect.gen(function* () {
        yield* database.lock(open, id)
        return toStoredPost(open, yield* find(open, workspaceId, id))
      })
    )

  const get: Posts["get"] = (workspaceId, id) =>
    statement("reading a post", (open) => Effect.map(find(open, workspaceId, id), (row) => toPost(open, row)))

  const create: Posts["create"] = (workspaceId, plan) =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const id = ids.post()
      return yield* statement("creating a post", (open) =>
        Effect.sync(() => {
          open.posts.put(id, {
            id,
            workspaceId,
            status: plan.status,
            content: plan.content,
            scheduledAt: millis(plan.scheduledAt),
            publishedAt: null,
            tags: plan.tags,
            overrides: plan.overrides,
            settings: plan.settings,
            media: plan.media,
            thread: plan.thread,
            platforms: plan.platforms,
            createdAt: DateTime.toEpochMillis(now),
            revision: 1
          })
          const dueAt = plan.status === "draft" ? null : millis(plan.scheduledAt)
          for (const [index, platform] of plan.platforms.filter(isLive).entries()) {
            const account = open.integrations
              .all()
              .find((row) => row.workspaceId === workspaceId && row.platform === platform)
            if (account === undefined)
              throw new Error(`The simulation has no account on ${platform} for this workspace`)
            const targetId = ids.target()
            open.targets.put(targetId, {
              id: targetId,
              workspaceId,
              postId: id,
              integrationId: account.id,
              accountId: account.accountId,
              platform,
              position: index + 1,
              status: "pending",
              dueSince: dueAt,
              dueAt: threadMedia(plan).length === 0 ? dueAt : heldUntil(dueAt),
              attempts: 0,
              reconcileAttempts: 0,
              token: null,
              leaseUntil: null,
              ownerId: null,
              ownerToken: null,
              prepared: null,
              sentAt: null,
              processingSince: null,
              sendToken: null,
              resendOrdered: false,
              url: null,
              publishedAt: null,
              platformPostId: null,
              error: null,
              part: 1,
              parts: null,
              begunAt: null,
              partIds: null,
              partUploads: null
            })
          }
          orderUploads(open, targetsOf(open, id), Math.min(DateTime.toEpochMillis(now), world.now()), "now")
          open.notifies ||=
            plan.status === "scheduled" && isDueSoon(startOf({ ...plan, media: threadMedia(plan) }), now)
          return { id, status: plan.status, scheduled_at: plan.scheduledAt, platforms: plan.platforms }
        })
      )
    })

  const update: Posts["update"] = (workspaceId, id, decide) =>
    transaction(
      "updating a post",
      Effect.gen(function* () {
        const post = yield* lock(workspaceId, id)
        const change = yield* Effect.fromResult(decide(post, namedFiles(threadMedia(post)).map(fileOf)))
        const now = yield* DateTime.now
        return yield* statement("writing an update", (open) =>
          Effect.gen(function* () {
            const row = yield* find(open, workspaceId, id)
            const { scheduledAt, status } = change
            const pending = targetsOf(open, id).filter((target) => target.status === "pending")
            const keepsTime =
              row.status === "scheduled" && status === "scheduled" && row.scheduledAt === millis(scheduledAt)
            const since = Math.max(...pending.map(({ dueSince }) => dueSince ?? Number.NEGATIVE_INFINITY))
            const ordered = status === "draft" ? null : millis(scheduledAt)
            const dueAt = keepsTime && Number.isFinite(since) ? since : ordered
            const startsAt = startOf({ ...change, media: threadMedia(change) })
            const keepsUploads =
              row.status === "scheduled" &&
              status === "scheduled" &&
              hasSameFiles(row, change) &&
              startsAt !== null &&
              DateTime.isLessThanOrEqualTo(startsAt, now)
            open.posts.put(id, { ...row, ...change, scheduledAt: millis(scheduledAt) })
            for (const target of targetsOf(open, id)) {
              if (target.status !== "pending") continue
              const isUploaded = keepsUploads && hasUploads(target)
              const prepared = target.sentAt === null && !isUploaded ? null : target.prepared
              const partUploads = target.sentAt === null && !isUploaded ? null : target.partUploads
              const processingSince = target.sentAt === null ? null : target.processingSince
              const isHeld = threadMedia(change).length > 0 && target.sentAt === null && !isUploaded
              const time = isHeld ? heldUntil(dueAt) : dueAt
              const changed = { dueSince: dueAt, dueAt: time, prepared, processingSince, partUploads }
              open.targets.put(target.id, { ...target, ...changed })
            }
            if (!keepsUploads) cancelUploads(open, targetsOf(open, id))
            if (status === "scheduled") {
              const orderedAt = Math.min(DateTime.toEpochMillis(now), world.now())
              orderUploads(open, targetsOf(open, id), orderedAt, "at its time")
            }
            open.notifies ||= status === "scheduled" && isDueSoon(startsAt, now)
            return toPost(open, yield* find(open, workspaceId, id))
          })
        )
      })
    )

  const publish: Posts["publish"] = (workspaceId, id, decide) =>
    transaction(
      "publishing a post now",
      Effect.gen(function* () {
        const post = yield* lock(workspaceId, id)
        yield* Effect.fromResult(decide(post, namedFiles(threadMedia(post)).map(fileOf)))
        const now = DateTime.toEpochMillis(yield* DateTime.now)
        return yield* statement("writing an order to publish", (open) =>
          Effect.gen(function* () {
            const row = yield* find(open, workspaceId, id)
            open.notifies = true
            if (row.status === "publishing") {
              orderUploads(open, targetsOf(open, id), Math.min(now, world.now()), "now")
              return toPost(open, row)
            }
            const latest = Math.min(now, world.now())
            const planned = row.status === "draft" ? latest : Math.min(row.scheduledAt ?? latest, latest)
            const revision = row.revision + (row.status !== "failed" && planned === row.scheduledAt ? 0 : 1)
            open.posts.put(id, { ...row, status: "scheduled", scheduledAt: planned, revision })
            for (const target of targetsOf(open, id)) {
              if (target.status !== "pending" && target.status !== "failed") continue
              const at = target.status === "pending" ? Math.min(target.dueSince ?? latest, latest) : latest
              open.targets.put(target.id, {
                ...target,
                status: "pending",
                dueSince: at,
                dueAt:
                  threadMedia(row).length === 0 || target.sentAt !== null || hasUploads(target) ? at : heldUntil(at),
                attempts: 0,
                reconcileAttempts: target.sentAt === null ? 0 : looksBeforeResend - 1,
                prepared: target.sentAt === null && !hasUploads(target) ? null : target.prepared,
                partUploads: target.sentAt === null && !hasUploads(target) ? null : target.partUploads,
                resendOrdered: target.sentAt !== null,
                processingSince: null,
                error: null
              })
            }
            orderUploads(open, targetsOf(open, id), Math.min(now, world.now()), "now")
            return toPost(open, yield* find(open, workspaceId, id))
          })
        )
      })
    )

  const remove: Posts["remove"] = (workspaceId, id) =>
    transaction(
      "deleting a post",
      Effect.gen(function* () {
        yield* lock(workspaceId, id)
        return yield* statement("deleting a post's rows", (open) =>
          Effect.gen(function* () {
            const targets = targetsOf(open, id)
            const mayGoOut = ({ processingSince, sentAt, status }: TargetRow) =>
              status === "publishing" || (status === "pending" && processingSince !== null && sentAt !== null)
            if (targets.some(mayGoOut)) return yield* inFlight
            open.posts.remove(id)
            for (const target of targets) {
              open.targets.remove(target.id)
              open.uploads.remove(target.id)
              open.deletedTargets.put(target.id, target)
            }
            const counts = targets.map(({ parts, status }) => parts?.length ?? (status === "published" ? 1 : 0))
            return { leftOnPlatforms: counts.reduce((sum, count) => sum + count, 0) }
          })
        )
      })
    )

  return { create, get, update, publish, remove }
}
