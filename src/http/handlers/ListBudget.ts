import { Context, Duration, Effect, Layer, Metric, PartitionedSemaphore, RcMap, type Scope, Semaphore } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as Problem from "../../api/problems.ts"
import type { WorkspaceId } from "../../domain/ids.ts"
import { DatabaseUnavailable } from "../../domain/errors.ts"
import { makeWorkspaceTurns, type TurnLimits, withinWait } from "../../domain/workspaceTurns.ts"
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
 * Searches and large lists' batches that are read and encoded concurrently, each for another workspace. They have two
 * connections to the database, so that the others, and most of the time, stay free for other requests.
 */
const turns = { total: 2, perWorkspace: 1 }

/** Beginnings of the newest posts, and other pages that are usually read in milliseconds. */
const pageTurns = { total: 8, perWorkspace: 2 }

export const largeLists = Metric.gauge("http_large_lists", {
  description: "Responses with large lists that are being sent; each holds 1.25 MB at most"
})

const busy = Effect.andThen(
  retryAfter(Duration.seconds(5)),
  fail(Problem.Unavailable, { detail: "Too many large lists are being read; try again in a few seconds" })
)

/** Fails if the workspace's turn does not come within some seconds, for example because the database hangs. */
type InTurn = (
  workspaceId: WorkspaceId
) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseUnavailable, R>

const boundedTurns = (limits: TurnLimits, maxWait: Duration.Duration): InTurn => {
  const { inTurn } = makeWorkspaceTurns(limits)
  const late = new DatabaseUnavailable({ operation: "reading a list", cause: "Other lists are being read" })
  return (workspaceId) => (work) => withinWait(inTurn(workspaceId), maxWait, late)(work)
}

/** Limits the memory and time that large lists take, per workspace and overall. */
export class ListBudget extends Context.Service<
  ListBudget,
  {
    /** Reserves memory until the scope closes. If none is left, waits some seconds and then fails with a 503. */
    readonly reserve: (
      workspaceId: WorkspaceId
    ) => Effect.Effect<void, Problem.Unavailable, Scope.Scope | HttpServerRequest.HttpServerRequest>
    readonly inTurn: InTurn
    readonly inPageTurn: InTurn
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
          inTurn: boundedTurns(turns, maxWait),
          inPageTurn: boundedTurns(pageTurns, maxWait)
        })
      })
    )
}
