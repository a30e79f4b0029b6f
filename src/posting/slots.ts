import { DateTime, Duration, Effect, Option, Result } from "effect"
import { DatabaseUnavailable, InvalidRequest, type Issue } from "../domain/errors.ts"
import type { PostId, WorkspaceId } from "../domain/ids.ts"
import type { Actor } from "../domain/people/actor.ts"
import { namePlatforms } from "../domain/plain/platforms.ts"
import type { Platform } from "../domain/platform.ts"
import { findTwoTimes, type NewPost } from "../domain/posts/newPost.ts"
import { schedulingHorizon } from "../domain/posts/postTime.ts"
import { everyHour } from "../domain/posts/queue.ts"
import { type Queue, slotRange, slotSteps, takes } from "../domain/posts/slots.ts"
import { runSteps } from "../domain/steps.ts"
import { findTimeZone } from "../domain/timeZoneName.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import type { IdempotencyKey } from "../repo/idempotency.ts"
import type { StoredQueue } from "../repo/queues/queues.ts"
import { Repo } from "../repo/Repo.ts"

/** Without a queue, a person's full hours differ from a key's. */
export type Planner = Pick<Actor, "author" | "workspaceId">

/** A transaction that takes a slot waits for others of its workspace, and holds a connection meanwhile. */
const turns = { total: 4, perWorkspace: 1 }
const maxWait = Duration.seconds(8)
const late = new DatabaseUnavailable({
  operation: "taking a slot",
  cause: "Other posts of the workspace take slots",
  explanation: "Other posts of this workspace are taking slots; try again in a few seconds"
})

const refuse = (message: string) => InvalidRequest.because({ path: ["schedule"], message, code: "slot_missing" })

const unknownZone = (zone: string) =>
  refuse(`This version of the service does not know the queue's time zone ${zone}: set another by PUT /v1/queue`)

const noneFits = (platforms: ReadonlyArray<Platform>) =>
  refuse(
    `No slot of the queue takes a post for ${namePlatforms(platforms)}: add one by PUT /v1/queue, or send a time instead`
  )

const noneFree = refuse(
  `Every slot of the next ${Duration.toDays(schedulingHorizon)} days is taken: add times by PUT /v1/queue, or send a time instead`
)

export const makeSlots = Effect.gen(function* () {
  const { idempotency, queues, transaction } = yield* Repo
  const { inTurn } = makeWorkspaceTurns(turns)

  /** Without a queue, every full hour in the person's time zone, or in UTC. */
  const queueOf = Effect.fnUntraced(function* ({ author }: Planner, { entries, timeZone }: StoredQueue) {
    const zone = timeZone ?? (author.type === "user" ? yield* queues.zoneOfPerson(author.id) : null) ?? "UTC"
    if (Option.isNone(findTimeZone(zone))) return yield* unknownZone(zone)
    const queue: Queue = { timeZone: zone, entries: entries.length === 0 ? everyHour : entries }
    return queue
  })

  const readQueue = (planner: Planner) =>
    Effect.flatMap(queues.get(planner.workspaceId), (stored) => queueOf(planner, stored))

  const findIn = Effect.fn("findSlot")(function* (
    queue: Queue,
    { workspaceId }: Planner,
    platforms: ReadonlyArray<Platform>,
    postId: PostId | null
  ) {
    const slots = yield* runSteps(slotSteps(queue, slotRange(yield* DateTime.now)))
    const fitting = slots.filter((slot) => takes(slot, platforms))
    if (fitting.length === 0) return yield* noneFits(platforms)
    const instants = fitting.map(({ at }) => at)
    const free = yield* queues.findFree({ workspaceId, postId, instants })
    return yield* Effect.mapError(Effect.fromOption(free), () => noneFree)
  })

  const findNext = (planner: Planner, platforms: ReadonlyArray<Platform>, postId: PostId | null = null) =>
    Effect.flatMap(readQueue(planner), (queue) => findIn(queue, planner, platforms, postId))

  return {
    queueOf,
    readQueue,
    findIn,

    /** The first free slot for a post's platforms. The post's own slot is free for it. */
    findNext,

    /** A post with the time of the slot that it would get now, and what keeps it from getting one. */
    preview: Effect.fnUntraced(function* (planner: Planner, { schedule, ...post }: NewPost) {
      const errors: ReadonlyArray<Issue> = findTwoTimes({ ...post, ...(schedule !== undefined && { schedule }) })
      if (schedule === undefined || errors.length > 0) return { post, errors }
      const found = yield* Effect.map(findNext(planner, post.platforms), Result.succeed).pipe(
        Effect.catchTag("InvalidRequest", (refused) => Effect.succeed(Result.fail(refused.errors)))
      )
      const timed: NewPost = Result.isSuccess(found)
        ? { ...post, schedule_at: found.success }
        : { ...post, status: "draft" }
      return { post: timed, errors: Result.isFailure(found) ? found.failure : errors }
    }),

    /**
     * A transaction that finds a slot and stores a post in it. Those of a workspace run one after the other, in all
     * processes, so that they never take one slot and skip none.
     */
    take: <A, E, R>(workspaceId: WorkspaceId, key: IdempotencyKey<A>, store: Effect.Effect<A, E, R>) =>
      withinWait(
        inTurn(workspaceId),
        maxWait,
        late
      )(idempotency.once(key, transaction(Effect.andThen(queues.lock(workspaceId), store))))
  }
})

export type Slots = Effect.Success<typeof makeSlots>
