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

  /** One error for each way to fail, because most of an error's cost is its stack trace. */
  const failures = new Map<string, DatabaseUnavailable>()
  const lost = (operation: string, cause: string): Effect.Effect<never, DatabaseUnavailable> =>
    Effect.suspend(() => {
      const what = `${operation} – ${cause}`
      world.note(machine.name, what)
      const failure = failures.get(what) ?? new DatabaseUnavailable({ operation, cause })
      failures.set(what, failure)
      return Effect.fail(failure)
    })

  /** The way there, and what happens there. */
  const reach = <A, E>(
    operation: string,
    act: () => Effect.Effect<A, E>
  ): Effect.Effect<A, E | DatabaseUnavailable> => {
    if (machine.mortal && world.happens("death")) machine.kill(`before ${operation}`)
    const slow = world.happens("database slow") ? dice.between(500, 9000) : 0
    const drops = world.happens("statement lost")
    const arrive = (): Effect.Effect<A, E | DatabaseUnavailable> => {
      if (database.away() || machine.cutOff()) {
        world.count("statement while the database was away")
        const refused = Effect.andThen(machine.running, lost(operation, "the database is away"))
        return Effect.andThen(world.sleep(dice.between(0, 4000)), refused)
      }
      return drops ? Effect.andThen(machine.running, lost(operation, "lost on the way")) : act()
    }
    return slow === 0 ? arrive() : Effect.andThen(world.sleep(slow), Effect.suspend(arrive))
  }

  /** The way back. */
  const hear = <A>(operation: string, result: A): Effect.Effect<A> => {
    if (machine.mortal && world.happens("death")) machine.kill(`after ${operation}`)
    if (machine.mortal && world.happens("stall")) machine.freezeUntil(world.now() + dice.between(20_000, 400_000))
    return machine.whenRunning(() => Effect.succeed(result))
  }

  const commit = <A>(transaction: Transaction, operation: string, result: A): Effect.Effect<A, DatabaseUnavailable> => {
    if (!database.resume(transaction)) return lost(operation, "the server had ended the transaction")
    open.delete(transaction)
    database.commit(transaction, operation)
    const drops = world.happens("answer to commit lost")
    const heard = hear(operation, result)
    return drops ? Effect.andThen(heard, lost(operation, "committed, and the answer lost")) : heard
  }

  const begin = (): Transaction => {
    const transaction = database.begin(machine.name)
    open.add(transaction)
    return transaction
  }

  const abort = (transaction: Transaction) =>
    Effect.sync(() => {
      open.delete(transaction)
      database.abort(transaction)
    })

  type Work<A, E> = (transaction: Transaction) => Effect.Effect<A, E | DatabaseUnavailable>

  /** A statement within a transaction; where it is lost, all of that is. */
  const within = <A, E>(outer: Transaction, operation: string, work: Work<A, E>) =>
    reach(operation, () => {
      if (!database.resume(outer)) return lost(operation, "the server had ended the transaction")
      return Effect.flatMap(work(outer), (result) => {
        outer.idleSince = world.now()
        return hear(operation, result)
      })
    }).pipe(Effect.onError(() => abort(outer)))

  /** A statement that is a transaction by itself. */
  const alone = <A, E>(operation: string, work: Work<A, E>) =>
    reach(operation, () => {
      const own = begin()
      return Effect.flatMap(work(own), (result) => commit(own, operation, result)).pipe(
        Effect.onError(() => abort(own))
      )
    })

  const statement: Connection["statement"] = (operation, work) =>
    Effect.withFiber((fiber) => {
      const outer = fiber.getRef(CurrentTransaction)
      return machine.whenRunning(() => (outer === undefined ? alone(operation, work) : within(outer, operation, work)))
    })

  const transaction: Connection["transaction"] = (operation, effect) =>
    Effect.gen(function* () {
      if ((yield* CurrentTransaction) !== undefined) return yield* effect
      return yield* Effect.acquireUseRelease(
        Effect.sync(begin),
        (own) =>
          Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              const result = yield* restore(Effect.provideService(effect, CurrentTransaction, own))
              return yield* reach(`committing ${operation}`, () => commit(own, operation, result))
            })
          ),
        abort
      )
    })

  return { statement, transaction }
}
