import { Context, Duration, Effect, Layer, Metric, type Scope } from "effect"
import type { WorkspaceId } from "../../domain/ids.ts"
import { ListsBusy } from "../../domain/errors.ts"
import { makeWorkspaceTurns, type TurnLimits, withinWait } from "../../domain/workspaceTurns.ts"

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

/** Fails if the workspace's turn does not come within some seconds, for example because the database hangs. */
type InTurn = (
  workspaceId: WorkspaceId
) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ListsBusy, R>

const boundedTurns = (limits: TurnLimits, maxWait: Duration.Duration): InTurn => {
  const { inTurn } = makeWorkspaceTurns(limits)
  return (workspaceId) => (work) => withinWait(inTurn(workspaceId), maxWait, new ListsBusy())(work)
}

/** Limits the memory and time that large lists take, per workspace and overall. */
export class ListBudget extends Context.Service<
  ListBudget,
  {
    /** Reserves memory until the scope closes. If none is left, waits some seconds and then fails. */
    readonly reserve: (workspaceId: WorkspaceId) => Effect.Effect<void, ListsBusy, Scope.Scope>
    readonly inTurn: InTurn
    readonly inPageTurn: InTurn
  }
>()("social-publisher/http/ListBudget") {
  static readonly layer = ({ maxWait, perWorkspace, total }: ListLimits = defaultLimits) =>
    Layer.effect(
      ListBudget,
      Effect.gen(function* () {
        const lists = makeWorkspaceTurns({
          total: Math.floor(total / listBytes),
          perWorkspace: Math.floor(perWorkspace / listBytes)
        })
        const count = Effect.acquireRelease(Metric.modify(largeLists, 1), () => Metric.modify(largeLists, -1))
        yield* Metric.update(largeLists, 0)

        return ListBudget.of({
          reserve: (workspaceId) =>
            Effect.timeoutOrElse(Effect.andThen(lists.takeScoped(workspaceId), count), {
              duration: maxWait,
              orElse: () => Effect.fail(new ListsBusy())
            }),
          inTurn: boundedTurns(turns, maxWait),
          inPageTurn: boundedTurns(pageTurns, maxWait)
        })
      })
    )
}
