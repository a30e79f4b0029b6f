import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { CurrentRequester, type Requester } from "../../domain/requester.ts"
import { makeWorkspaceTurns } from "../../domain/workspaceTurns.ts"
import { commitChecked } from "./commit.ts"

/**
 * Two fewer than the pool has besides those that listen, so that publishing always finds one. The requests of a
 * workspace that all wait for one locked row leave connections to others.
 */
export const connectionTurns = { total: 6, perWorkspace: 3 }

/** Lends the client's connections to requests in turns of the workspaces, and to the service's own work immediately. */
export const inConnectionTurns = Effect.fnUntraced(function* (client: PgClient.PgClient) {
  const { takeScoped } = makeWorkspaceTurns<Requester>(connectionTurns)
  const acquirer = Effect.flatMap(CurrentRequester, (requester) =>
    requester === undefined ? client.reserve : Effect.andThen(takeScoped(requester), client.reserve)
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
