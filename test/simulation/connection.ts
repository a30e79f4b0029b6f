import { Effect } from "effect"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import type { Machine } from "./machine.ts"
import { CurrentTransaction, type MemoryDatabase, type Transaction } from "./memoryDatabase.ts"
import type { World } from "./world.ts"

/** One process's way to the database, on which anything can be lost. */
export interface Connection {
  /** One round trip; by itself a transaction, unless it is part of one. */
  readonly statement: <A, E>(
    operation: string,
    work: (transaction: Transaction) => Effect.Effect<A, E | DatabaseUnavailable>
  ) => Effect.Effect<A, E | DatabaseUnavailable>
  readonly transaction: <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | DatabaseUnavailable, R>
}

export const makeConnection = (world: World, database: MemoryDatabase, machine: Machine): Connection => {
  const { dice } = world
  const open = new Set<Transaction>()
  machine.whenKilled(() => {
    for (const transaction of open) database.abort(transaction)
  })

  const lost = (operation: string, cause: string) =>
    Effect.suspend(() => {
      world.note(machine.name, `${operation} – ${cause}`)
      return Effect.fail(new DatabaseUnavailable({ operation, cause }))
    })

  /** The way there. */
  const reach = (operation: string): Effect.Effect<void, DatabaseUnavailable> =>
    Effect.suspend(() => {
      if (machine.mortal && world.happens("death")) machine.kill(`before ${operation}`)
      const slow = world.happens("database slow") ? dice.between(500, 9000) : 0
      const drops = world.happens("statement lost")
      return Effect.andThen(
        slow === 0 ? Effect.void : world.sleep(slow),
        Effect.suspend(() => {
          if (database.away() || machine.cutOff()) {
            world.count("statement while the database was away")
            const refused = Effect.andThen(machine.running, lost(operation, "the database is away"))
            return Effect.andThen(world.sleep(dice.between(0, 4000)), refused)
          }
          return drops ? Effect.andThen(machine.running, lost(operation, "lost on the way")) : Effect.void
        })
      )
    })

  /** The way back. */
  const hear = (operation: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (machine.mortal && world.happens("death")) machine.kill(`after ${operation}`)
      if (machine.mortal && world.happens("stall")) machine.freezeUntil(world.now() + dice.between(20_000, 400_000))
      return machine.running
    })

  const commit = (transaction: Transaction, operation: string): Effect.Effect<void, DatabaseUnavailable> =>
    Effect.suspend(() => {
      if (!database.resume(transaction)) return lost(operation, "the server had ended the transaction")
      open.delete(transaction)
      database.commit(transaction, operation)
      const drops = world.happens("answer to commit lost")
      const heard = hear(operation)
      return drops ? Effect.andThen(heard, lost(operation, "committed, and the answer lost")) : heard
    })

  const begin = Effect.sync(() => {
    const transaction = database.begin(machine.name)
    open.add(transaction)
    return transaction
  })

  const abort = (transaction: Transaction) =>
    Effect.sync(() => {
      open.delete(transaction)
      database.abort(transaction)
    })

  /** A statement within a transaction; where it is lost, all of that is. */
  const within = <A, E>(
    outer: Transaction,
    operation: string,
    work: (transaction: Transaction) => Effect.Effect<A, E | DatabaseUnavailable>
  ) =>
    Effect.gen(function* () {
      yield* reach(operation)
      if (!database.resume(outer)) return yield* lost(operation, "the server had ended the transaction")
      const result = yield* work(outer)
      outer.idleSince = world.now()
      yield* hear(operation)
      return result
    }).pipe(Effect.onError(() => abort(outer)))

  const statement: Connection["statement"] = (operation, work) =>
    Effect.gen(function* () {
      yield* machine.running
      const outer = yield* CurrentTransaction
      if (outer !== undefined) return yield* within(outer, operation, work)
      yield* reach(operation)
      return yield* Effect.acquireUseRelease(
        begin,
        (single) => Effect.flatMap(work(single), (result) => Effect.as(commit(single, operation), result)),
        abort
      )
    })

  const transaction: Connection["transaction"] = (operation, effect) =>
    Effect.gen(function* () {
      if ((yield* CurrentTransaction) !== undefined) return yield* effect
      return yield* Effect.acquireUseRelease(
        begin,
        (own) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const result = yield* restore(Effect.provideService(effect, CurrentTransaction, own))
              yield* reach(`committing ${operation}`)
              yield* commit(own, operation)
              return result
            })
          ),
        abort
      )
    })

  return { statement, transaction }
}
