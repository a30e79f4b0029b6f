import { DateTime, Effect, Result } from "effect"
import { InvalidRequest } from "../domain/errors.ts"
import { type Library, namedFiles } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { asDraft, needsApproval } from "../domain/posts/approval.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import { type Found, planLookups } from "../domain/posts/lookups.ts"
import { findTwoTimes, type NewPost } from "../domain/posts/newPost.ts"
import { firstRevision, planCreate, type PostPlan } from "../domain/posts/postPlan.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import type { CreatedPost } from "../repo/posts/Posts.ts"
import { Repo } from "../repo/Repo.ts"
import type { Scheduling } from "./scheduling.ts"
import type { Slots } from "./slots.ts"

const filesOfRequest = ({ media = [], thread = [] }: NewPost) => namedFiles(threadMedia({ media, thread }))

const authority = (actor: Actor) => scopeAuthority(actor, "posts:write")

type CardedPlan = PostPlan & { readonly card: LinkCard | null; readonly slotAt?: DateTime.Utc }

/** If the actor requires approval, a scheduled post stays a draft and approval is requested. */
export const makeCreatePost = Effect.fnUntraced(function* (scheduling: Scheduling, slots: Slots) {
  const { idempotency, posts, transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier
  const rules = yield* CurrentRules

  const plan = (post: NewPost, found: Found, now: DateTime.Utc, library: Library) =>
    Result.flatMap(planCreate(rules, post, now, library), (planned) =>
      Result.map(
        planLookups(rules, { ...planned, isFinal: planned.status === "scheduled" }, found),
        (lookups): CardedPlan => ({ ...planned, ...lookups })
      )
    )

  const createForApproval = Effect.fnUntraced(function* (actor: Actor, planned: CardedPlan) {
    const { author, workspaceId } = actor
    const { content, overrides, scheduledAt, thread } = planned
    const created = yield* posts.create(workspaceId, asDraft(planned), authority(actor))
    const { id } = created
    yield* posts.requestApproval(workspaceId, id, { content, overrides, thread, revision: firstRevision })
    yield* approvalRequested(workspaceId, { id, scheduledAt, content }, author)
    return created
  })

  /** In a transaction. Locks the files before planning, so that none is removed until the post is stored. */
  const createLocked = Effect.fnUntraced(function* (actor: Actor, post: NewPost, found: Found, takesSlot: boolean) {
    const { workspaceId } = actor
    const library = yield* posts.lockMedia(workspaceId, filesOfRequest(post))
    const slotAt = takesSlot ? yield* slots.findNext(actor, post.platforms) : undefined
    const slot = slotAt === undefined ? {} : { slotAt }
    const timed = slotAt === undefined ? post : { ...post, schedule_at: slotAt }
    const planned = { ...(yield* Effect.fromResult(plan(timed, found, yield* DateTime.now, library))), ...slot }
    return yield* needsApproval(actor, planned)
      ? createForApproval(actor, planned)
      : posts.create(workspaceId, planned, authority(actor))
  })

  const store = Effect.fnUntraced(function* (
    actor: Actor,
    post: NewPost,
    key: IdempotencyKey<CreatedPost>,
    found: Found
  ) {
    const { workspaceId } = actor
    const twoTimes = findTwoTimes(post)
    if (twoTimes.length > 0) return yield* InvalidRequest.because(...twoTimes)
    if (post.schedule !== undefined) return yield* slots.take(workspaceId, key, createLocked(actor, post, found, true))
    if (filesOfRequest(post).length > 0) {
      return yield* idempotency.once(key, transaction(createLocked(actor, post, found, false)))
    }
    const planned = plan(post, found, yield* DateTime.now, [])
    if (Result.isSuccess(planned) && !needsApproval(actor, planned.success)) {
      return yield* posts.createOnce(workspaceId, planned.success, authority(actor), key)
    }
    // The plan fails only after the idempotency key is looked up, because an earlier request may have succeeded.
    const submitted = Effect.flatMap(Effect.fromResult(planned), (draft) =>
      transaction(createForApproval(actor, draft))
    )
    return yield* idempotency.once(key, submitted)
  })

  return (actor: Actor, post: NewPost, key: IdempotencyKey<CreatedPost>) =>
    scheduling(
      actor.workspaceId,
      ({ found }) => store(actor, post, key, found),
      (created) => ({ ...created, media: filesOfRequest(post) })
    )
})
