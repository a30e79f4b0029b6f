import { DateTime, Effect, Option } from "effect"
import { type Library, namedFiles } from "../domain/media/mediaPlan.ts"
import type { Actor } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import { asDraft, needsApproval } from "../domain/posts/approval.ts"
import { type FoundCards, planCards } from "../domain/posts/cardPlan.ts"
import type { LinkCard } from "../domain/posts/linkCard.ts"
import type { NewPost } from "../domain/posts/newPost.ts"
import { firstRevision, planCreate, type PostPlan } from "../domain/posts/postPlan.ts"
import { threadMedia } from "../domain/posts/thread.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CurrentRules } from "../platforms/rules.ts"
import type { AtOnce } from "../repo/idempotency.ts"
import type { CreatedPost } from "../repo/posts/Posts.ts"
import { Repo } from "../repo/Repo.ts"
import type { Scheduling, Writing } from "./scheduling.ts"

/** The files that a post to create and its parts name. */
const filesOfRequest = ({ media = [], thread = [] }: NewPost) => namedFiles(threadMedia({ media, thread }))

const authority = (actor: Actor) => scopeAuthority(actor, "posts:write")

/** Creates a draft or a scheduled post. Approval is requested of what an actor schedules who requires it. */
export const makeCreatePost = Effect.fnUntraced(function* (scheduling: Scheduling) {
  const { posts, transaction } = yield* Repo
  const { approvalRequested } = yield* Notifier
  const rules = yield* CurrentRules

  const createForApproval = Effect.fnUntraced(function* (
    actor: Actor,
    plan: PostPlan & { readonly card: LinkCard | null }
  ) {
    const { author, workspaceId } = actor
    const { content, overrides, scheduledAt, thread } = plan
    const created = yield* posts.create(workspaceId, asDraft(plan), authority(actor))
    const { id } = created
    yield* posts.requestApproval(workspaceId, id, { content, overrides, thread, revision: firstRevision })
    yield* approvalRequested(workspaceId, { id, scheduledAt, content }, author)
    return created
  })

  const planWithCards = Effect.fnUntraced(function* (post: NewPost, library: Library, found: FoundCards) {
    const planned = yield* Effect.fromResult(planCreate(rules, post, yield* DateTime.now, library))
    const isFinal = planned.status === "scheduled"
    return { ...planned, ...(yield* Effect.fromResult(planCards(rules, { ...planned, isFinal }, found))) }
  })

  const store = (actor: Actor, post: NewPost, found: FoundCards) => {
    const files = filesOfRequest(post)
    const create = Effect.gen(function* () {
      const library = files.length === 0 ? [] : yield* posts.lockMedia(actor.workspaceId, files)
      const plan = yield* planWithCards(post, library, found)
      if (!needsApproval(actor, plan)) return yield* posts.create(actor.workspaceId, plan, authority(actor))
      return yield* transaction(createForApproval(actor, plan))
    })
    return files.length === 0 ? create : transaction(create)
  }

  /** What the post can't be is no failure yet: its key may have been used for a post that could be created then. */
  const storeAtOnce =
    (actor: Actor, post: NewPost, found: FoundCards): AtOnce<CreatedPost> =>
    (useOf) =>
      Effect.gen(function* () {
        const plan = yield* Effect.option(planWithCards(post, [], found))
        if (Option.isNone(plan) || needsApproval(actor, plan.value)) return Option.none()
        return yield* posts.createAtOnce(actor.workspaceId, plan.value, authority(actor), useOf)
      })

  return (actor: Actor, post: NewPost, writing: Writing<CreatedPost>) =>
    scheduling(
      actor.workspaceId,
      (found) => writing(store(actor, post, found), storeAtOnce(actor, post, found)),
      (created) => ({ ...created, media: filesOfRequest(post) })
    )
})
