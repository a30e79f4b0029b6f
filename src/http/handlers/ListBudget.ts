import { Context, Duration, Effect, Layer, Metric, PartitionedSemaphore, RcMap, Scope, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Problem from "../../api/problems.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import { fail } from "../problems.ts"
import { retryAfter } from "../responseHeaders.ts"

const mebibyte = 1024 * 1024

/** A batch of a large list ends after this many bytes of JSON. */
export const batchBytes = mebibyte / 4

/** The most bytes that a large list holds: its last post may be as large as a request body. */
const listBytes = batchBytes + mebibyte

export interface ListLimits {
  readonly total: number
  readonly perWorkspace: number
  readonly maxWait: Duration.Duration
}

const defaultLimits: ListLimits = {
  total: 128 * mebibyte,
  perWorkspace: 64 * mebibyte,
  maxWait: Duration.seconds(5)
}

/**
 * Batches that are read and encoded at the same time. Two leave the other database connections, and most of the time,
 * to other requests.
 */
const maxTurns = 2

const largeLists = Metric.gauge("http_large_lists", {
  description: "Responses with large lists that are being sent; each holds 1.25 MB at most"
})

const busy = Effect.andThen(
  retryAfter(Duration.seconds(5)),
  fail(Problem.Unavailable, { detail: "Too many large lists are being read; try again in a few seconds" })
)

/** Limits the memory and time that large lists take, per workspace and overall. */
export class ListBudget extends Context.Service<
  ListBudget,
  {
    /** Reserves memory until the scope closes. If none is left, waits some seconds and then fails with a 503. */
    readonly reserve: (
      workspaceId: WorkspaceId
    ) => Effect.Effect<void, Problem.Unavailable, Scope.Scope | HttpServerRequest.HttpServerRequest>
    readonly inTurn: (workspaceId: WorkspaceId) => <A, E, R>(batch: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("social-publisher/http/ListBudget") {
  static readonly layer = ({ maxWait, perWorkspace, total }: ListLimits = defaultLimits) =>
    Layer.effect(
      ListBudget,
      Effect.gen(function* () {
        const lists = yield* PartitionedSemaphore.make<WorkspaceId>({ permits: Math.floor(total / listBytes) })
        const own = yield* RcMap.make({
          lookup: (_workspaceId: WorkspaceId) => Semaphore.make(Math.floor(perWorkspace / listBytes))
        })
        const turns = yield* PartitionedSemaphore.make<WorkspaceId>({ permits: maxTurns })
        const ownTurns = yield* RcMap.make({ lookup: (_workspaceId: WorkspaceId) => Semaphore.make(1) })

        /** Runs a workspace's batches one at a time, so that other workspaces get a turn. */
        const inTurn =
          (workspaceId: WorkspaceId) =>
          <A, E, R>(batch: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
            Effect.acquireUseRelease(
              Scope.make(),
              (scope) =>
                Effect.flatMap(Scope.provide(RcMap.get(ownTurns, workspaceId), scope), (turn) =>
                  turn.withPermit(turns.withPermit(workspaceId)(batch))
                ),
              Scope.close
            )

        const reserve = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
          const ownLists = yield* RcMap.get(own, workspaceId)
          yield* Effect.acquireRelease(ownLists.take(1), () => ownLists.release(1), { interruptible: true })
          yield* Effect.acquireRelease(lists.take(workspaceId, 1), () => lists.release(1), { interruptible: true })
          yield* Effect.acquireRelease(Metric.modify(largeLists, 1), () => Metric.modify(largeLists, -1))
        })
        yield* Metric.update(largeLists, 0)

        return ListBudget.of({
          reserve: (workspaceId) =>
            Effect.timeoutOrElse(reserve(workspaceId), { duration: maxWait, orElse: () => busy }),
          inTurn
        })
      })
    )
}
