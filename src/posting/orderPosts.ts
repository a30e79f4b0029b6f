import { DateTime, Effect } from "effect"
import { InvalidRequest, type Issue } from "../domain/errors.ts"
import type { PostId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import type { Post } from "../domain/posts/post.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import type { PlannedPost } from "../repo/queues/plannedPosts.ts"
import { unknownPost } from "../repo/posts/storedPosts.ts"
import { Repo } from "../repo/Repo.ts"
import type { ApplyChange } from "./changePost.ts"
import type { ScheduledPost } from "./mediaAccess.ts"
import type { Prepared, Scheduling } from "./scheduling.ts"
import type { Slots } from "./slots.ts"

/** A post at the revision that the caller has seen. */
export interface SeenPost {
  readonly id: PostId
  readonly revision: number
}

interface Move extends SeenPost {
  readonly index: number
  readonly at: DateTime.Utc
}

const isSame = (one: DateTime.Utc | null, other: DateTime.Utc): boolean =>
  one !== null && DateTime.Equivalence(one, other)

/** The posts that get another time. The first of the posts gets the earliest of their times. */
const planOrder = Effect.fnUntraced(function* (posts: ReadonlyArray<SeenPost>, planned: ReadonlyArray<PlannedPost>) {
  const timeOf = new Map(planned.map(({ id, scheduledAt }) => [id, scheduledAt]))
  if (posts.some(({ id }) => !timeOf.has(id))) return yield* unknownPost
  const issues = posts.flatMap(({ id }, index): ReadonlyArray<Issue> => {
    const path = ["posts", index, "id"]
    if (posts.findIndex((post) => post.id === id) < index) return [{ path, message: "Expected each post once" }]
    return timeOf.get(id) === null ? [{ path, message: "Expected a post that has a time" }] : []
  })
  if (issues.length > 0) return yield* InvalidRequest.because(...issues)
  const times = planned.flatMap(({ scheduledAt }) => scheduledAt ?? []).toSorted(DateTime.Order)
  return posts.flatMap((post, index): ReadonlyArray<Move> => {
    const at = times[index]
    return at === undefined || isSame(timeOf.get(post.id) ?? null, at) ? [] : [{ ...post, index, at }]
  })
})

const inBody = ({ index }: Move, { errors }: InvalidRequest) =>
  InvalidRequest.because(...errors.map((issue) => ({ ...issue, path: ["posts", index, "id"] })))

/** The posts' files are those that they were scheduled with. */
const withoutFiles = (): ScheduledPost => ({ status: "scheduled", platforms: [], media: [] })

/** Gives posts each other's times, in another order, all or none. Each takes the slot of its new time. */
export const makeOrderPosts = (scheduling: Scheduling, slots: Slots, applyChange: ApplyChange) =>
  Effect.map(Repo, ({ queues }) => {
    const store = Effect.fnUntraced(function* (actor: Actor, posts: ReadonlyArray<SeenPost>, prepared: Prepared) {
      const { workspaceId } = actor
      const planned = yield* queues.findPlanned(
        workspaceId,
        posts.map(({ id }) => id)
      )
      const moves = yield* planOrder(posts, planned)
      const change = (move: Move) =>
        applyChange(
          actor,
          move.id,
          { scheduled_at: move.at },
          [{ revision: move.revision, status: null }],
          prepared
        ).pipe(Effect.catchTag("InvalidRequest", (refused) => Effect.fail(inBody(move, refused))))
      // By id, as others lock many posts.
      const inTurn = moves.toSorted((one, other) => (one.id < other.id ? -1 : 1))
      const moved = yield* Effect.forEach(inTurn, change)
      // A change of its time has freed each post's slot.
      yield* queues.holdSlots(
        workspaceId,
        moves.filter(({ at }) => planned.some(({ slotAt }) => isSame(slotAt, at)))
      )
      return moves.flatMap(({ id }) => moved.find((post) => post.id === id) ?? [])
    })

    return {
      order: Effect.fn("orderPosts")(
        (actor: Actor, posts: ReadonlyArray<SeenPost>, key: IdempotencyKey<ReadonlyArray<Post>>) =>
          scheduling(
            actor.workspaceId,
            (prepared) => slots.take(actor.workspaceId, key, store(actor, posts, prepared)),
            withoutFiles
          )
      )
    }
  })
