import { DateTime, Duration, Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { ReplayableOrder } from "../../api/posts/Queue.ts"
import type { Issue } from "../../domain/errors.ts"
import type { PostId } from "../../domain/ids.ts"
import type { Actor } from "../../domain/people/actor.ts"
import { scopeAuthority } from "../../domain/people/authority.ts"
import type { Platform } from "../../domain/platform.ts"
import { checkSetQueue } from "../../domain/posts/approval.ts"
import { findRepeatedEntries, type QueueSchedule, sortEntries } from "../../domain/posts/queue.ts"
import type { RevisionMatch } from "../../domain/posts/revisionMatch.ts"
import { maxSlotDays, slotSteps } from "../../domain/posts/slots.ts"
import { runSteps } from "../../domain/steps.ts"
import { Posting } from "../../posting/Posting.ts"
import type { StoredQueue } from "../../repo/queues/queues.ts"
import { Repo } from "../../repo/Repo.ts"
import { failInvalid, orProblem } from "../problems.ts"
import { once } from "./idempotency.ts"
import { ListBudget } from "./ListBudget.ts"
import { asActor, asData, inWorkspace } from "./shared.ts"

const shownQueue = ({ entries, revision, timeZone, updatedAt, updatedBy }: StoredQueue) =>
  HttpApiSchema.withHeaders({
    body: { data: { time_zone: timeZone, entries, revision, updated_at: updatedAt, updated_by: updatedBy } },
    headers: { etag: `"${revision}"` }
  })

interface Range {
  readonly from: DateTime.Utc
  readonly to: DateTime.Utc
}

interface PostOfSlot {
  readonly platforms?: ReadonlyArray<Platform>
  readonly post_id?: PostId | null
}

const findRangeIssues = ({ from, to }: Range): ReadonlyArray<Issue> => {
  if (DateTime.isLessThan(to, from)) return [{ path: ["to"], message: "Expected a time after from" }]
  return DateTime.isGreaterThan(to, DateTime.addDuration(from, Duration.days(maxSlotDays)))
    ? [{ path: ["to"], message: `Expected a time at most ${maxSlotDays} days after from` }]
    : []
}

export const queueLayer = HttpApiBuilder.group(
  Api,
  "queue",
  Effect.fn(function* (handlers) {
    const { queues } = yield* Repo
    const { findSlotIn, order, queueOf, readQueue } = yield* Posting
    const { inTurn } = yield* ListBudget

    const replace = Effect.fn("replaceQueue")(function* (
      actor: Actor,
      { entries, time_zone }: QueueSchedule,
      match: RevisionMatch | undefined
    ) {
      yield* Effect.fromResult(checkSetQueue(actor))
      const queue = { time_zone, entries: sortEntries(entries) }
      return yield* queues.replace(actor.workspaceId, queue, match, scopeAuthority(actor, "posts:publish"))
    })

    const next = Effect.fnUntraced(function* (actor: Actor, { platforms = [], post_id = null }: PostOfSlot) {
      const queue = yield* readQueue(actor)
      const found = yield* findSlotIn(queue, actor, platforms, post_id).pipe(
        Effect.catchTag("InvalidRequest", () => Effect.succeed(null))
      )
      return { scheduled_at: found, time_zone: queue.timeZone }
    })

    const list = Effect.fnUntraced(function* (actor: Actor, { from, to }: Range) {
      const { workspaceId } = actor
      const stored = yield* queues.get(workspaceId)
      if (stored.entries.length === 0) return []
      const slots = yield* runSteps(slotSteps(yield* queueOf(actor, stored), { from, until: to }))
      const instants = slots.map(({ at }) => at)
      const held = yield* inTurn(workspaceId)(queues.listHeld(workspaceId, instants))
      const posts = new Map(held.map(({ at, postIds }) => [DateTime.toEpochMillis(at), postIds]))
      return slots.map(({ at, platforms }) => ({
        at,
        platforms,
        post_ids: posts.get(DateTime.toEpochMillis(at)) ?? []
      }))
    })

    return handlers
      .handle("get", () => inWorkspace(queues.get).pipe(Effect.map(shownQueue), orProblem))
      .handle("replace", ({ headers, payload }) => {
        const repeated = findRepeatedEntries(payload.entries)
        if (repeated.length > 0) return failInvalid(repeated)
        return asActor((actor) => replace(actor, payload, headers["if-match"])).pipe(Effect.map(shownQueue), orProblem)
      })
      .handle("next", ({ query }) => asActor((actor) => next(actor, query)).pipe(asData, orProblem))
      .handle("order", ({ headers, payload: { posts }, request }) =>
        once({ answer: ReplayableOrder, headers, body: request.text }, (actor, key) => order(actor, posts, key)).pipe(
          asData,
          orProblem
        )
      )
      .handle("slots", ({ query }) => {
        const issues = findRangeIssues(query)
        if (issues.length > 0) return failInvalid(issues)
        return asActor((actor) => list(actor, query)).pipe(asData, orProblem)
      })
  })
)
