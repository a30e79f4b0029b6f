import { PgClient } from "@effect/sql-pg"
import { Data, Duration, Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { CurrentRequester, type Requester } from "../../domain/requester.ts"
import { makeWorkspaceTurns } from "../../domain/workspaceTurns.ts"
import { commitChecked } from "./commit.ts"

/**
 * Two fewer than the pool has besides those that listen, so that publishing always finds one. The requests of a
 * workspace that all wait for one locked row leave connections to others.
 */
const connectionTurns = { total: 6, perWorkspace: 3 }

/** With the wait for a lock that may follow, shorter than the timeout of an operation. */
const maxWait = Duration.seconds(3)

/** The requester's own requests, or all requests together, held all places for some seconds. */
export class ConnectionsBusy extends Data.TaggedError("ConnectionsBusy")<{ readonly requester: Requester }> {
  override get message(): string {
    return this.requester === "unknown" || this.requester === "several"
      ? "Too many requests are being stored; try again in a few seconds"
      : "Other requests of this workspace hold its places in the database; try again in a few seconds"
  }
}

const busy = (requester: Requester) => {
  const cause = new ConnectionsBusy({ requester })
  return new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause, message: cause.message, operation: "acquireConnection" })
  })
}

/** Lends the client's connections to requests in turns of the workspaces, and to the service's own work immediately. */
export const inConnectionTurns = Effect.fnUntraced(function* (client: PgClient.PgClient) {
  const { isFree, takeScoped } = makeWorkspaceTurns<Requester>(connectionTurns)

  /** A turn that comes immediately needs no timer. */
  const takeInTime = (requester: Requester) =>
    Effect.suspend(() =>
      isFree(requester)
        ? takeScoped(requester)
        : Effect.timeoutOrElse(takeScoped(requester), {
            duration: maxWait,
            orElse: () => Effect.fail(busy(requester))
          })
    )
  const acquirer = Effect.flatMap(CurrentRequester, (requester) =>
    requester === undefined ? client.reserve : Effect.andThen(takeInTime(requester), client.reserve)
  )
  return yield* SqlClient.make({
    acquirer,
    compiler: PgClient.makeCompiler(),
    driver: client.driver,
    spanAttributes: [["db.system.name", "postgresql"]],
    transactionService: client.transactionService,
    prepareTransactionControls: true,
    commit: commitChecked
  })
})
