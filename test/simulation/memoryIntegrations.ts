import { Effect, Redacted } from "effect"
import type { CredentialsUnreadable } from "../../src/domain/errors.ts"
import type { IntegrationId } from "../../src/domain/ids.ts"
import type { Integrations } from "../../src/repo/integrations/Integrations.ts"
import type { Connection } from "./connection.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase, Transaction } from "./memoryDatabase.ts"
import type { Process } from "./process.ts"
import type { World } from "./world.ts"

/** The part of src/repo/integrations that publishing uses, in memory and without encryption. */
export const makeMemoryIntegrations = (
  world: World,
  database: MemoryDatabase,
  process: Process,
  { statement, transaction }: Connection
): Pick<Integrations, "credentials" | "refreshCredentials" | "markNeedsReconnect"> & {
  /** Links the account again, with credentials that the platform issued; returns whether it was disconnected. */
  readonly reconnect: (id: IntegrationId, credentials: string) => ReturnType<Integrations["markNeedsReconnect"]>
} => {
  const find = (open: Transaction, id: IntegrationId) =>
    Effect.suspend(() => {
      const row = open.integrations.get(id)
      return row === undefined ? Effect.die(`The simulation has no account ${id}`) : Effect.succeed(row)
    })

  const lock = (open: Transaction, id: IntegrationId) => Effect.andThen(database.lock(open, id), find(open, id))

  const credentials: Integrations["credentials"] = (id) =>
    statement("reading credentials", (open): Effect.Effect<Redacted.Redacted, CredentialsUnreadable> =>
      Effect.map(find(open, id), (row) => Redacted.make(row.credentials))
    )

  const refreshCredentials: Integrations["refreshCredentials"] = (id, known, renew) =>
    transaction(
      "refreshing credentials",
      Effect.gen(function* () {
        const stored = yield* statement("locking credentials", (open) => lock(open, id))
        if (stored.credentials !== Redacted.value(known)) return Redacted.make(stored.credentials)
        const { credentials: renewed } = yield* renew
        yield* statement("storing credentials", (open) =>
          Effect.map(find(open, id), (row) =>
            open.integrations.put(id, { ...row, credentials: Redacted.value(renewed) })
          )
        )
        world.log(process.name, `renewed the access of account ${shortId(id)}`)
        return renewed
      })
    ).pipe(Effect.uninterruptible)

  const markNeedsReconnect: Integrations["markNeedsReconnect"] = (id, version) =>
    statement("marking an integration", (open) =>
      Effect.map(lock(open, id), (row) => {
        if (row.status !== "connected" || String(row.version) !== version) return false
        open.integrations.put(id, { ...row, status: "needs_reconnect" })
        return true
      })
    )

  return {
    credentials,
    refreshCredentials,
    markNeedsReconnect,
    reconnect: (id, renewed) =>
      statement("connecting an account again", (open) =>
        Effect.map(lock(open, id), (row) => {
          open.integrations.put(id, { ...row, status: "connected", credentials: renewed, version: row.version + 1 })
          return row.status !== "connected"
        })
      )
  }
}
