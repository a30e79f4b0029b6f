import { Effect } from "effect"
import { DatabaseUnavailable } from "../../src/domain/errors.ts"
import { CurrentTransaction, type MemoryDatabase, type Transaction } from "./memoryDatabase.ts"
import type { Process } from "./process.ts"
import type { World } from "./world.ts"

/** Injects faults into every round trip. */
export interface Connection {
  /** One round trip. Commits by itself, unless it runs in a transaction. */
  readonly statement: <A, E>(
    operation: string,
    work: (transaction: Transaction) => Effect.Effect<A, E | DatabaseUnavailable>
  ) => Effect.Effect<A, E | DatabaseUnavailable>
  readonly transaction: <A, E, R>(
    operation: string,
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | DatabaseUnavailable, R>
}

/** The probability of a crash before or after each step of a batch in a crowded simulation. */
const batchCrashRate = 0.03

export const makeConnection = (world: World, database: MemoryDatabase, process: Process): Connection => {
  const { prng } = world
  const openTransactions = new Set<Transaction>()
  process.onKill(() => {
    for (const transaction of openTransactions) database.abort(transaction)
  })

  /** Errors are reused, because capturing the stack trace is most of their cost. */
  const failures = new Map<string, DatabaseUnavailable>()
  const fail = (operation: string, cause: string): Effect.Effect<never, DatabaseUnavailable> =>
    Effect.suspend(() => {
      const what = `${operation} – ${cause}`
      world.log(process.name, what)
      const failure = failures.get(what) ?? new DatabaseUnavailable({ operation, cause })
      failures.set(what, failure)
      return Effect.fail(failure)
    })

  /**
   * True if the process crashes before or after a step. It often does if a transaction settles a batch in a crowded
   * simulation.
   */
  const crashes = (within?: Transaction): boolean => {
    if (!process.canCrash) return false
    if (world.injects("crash")) return true
    const isWithinBatch = world.isCrowded() && within?.settlesBatch === true && prng.chance(batchCrashRate)
    if (isWithinBatch) world.count("crash within a batch")
    return isWithinBatch
  }

  /** The server runs `act` when the request arrives. */
  const deliver = <A, E>(
    operation: string,
    act: () => Effect.Effect<A, E>,
    within?: Transaction
  ): Effect.Effect<A, E | DatabaseUnavailable> => {
    if (crashes(within)) {
      process.kill(`before ${operation}`)
      return Effect.never
    }
    const delay = world.injects("database slow") ? prng.between(500, 9000) : 0
    const isLost = world.injects("statement lost")
    const arrive = (): Effect.Effect<A, E | DatabaseUnavailable> => {
      if (database.isUnavailable() || process.isPartitioned()) {
        world.count("statement while the database was unavailable")
        const refused = Effect.andThen(process.untilRunning, fail(operation, "the database is unavailable"))
        return Effect.andThen(world.sleep(prng.between(0, 4000)), refused)
      }
      return isLost ? Effect.andThen(process.untilRunning, fail(operation, "lost on the way")) : act()
    }
    return delay === 0 ? arrive() : Effect.andThen(world.sleep(delay), Effect.suspend(arrive))
  }

  const respond = <A>(operation: string, result: A, within?: Transaction): Effect.Effect<A> => {
    if (crashes(within)) process.kill(`after ${operation}`)
    if (process.canCrash && world.injects("process pause"))
      process.freezeUntil(world.now() + prng.between(20_000, 400_000))
    return process.whenRunning(() => Effect.succeed(result))
  }

  const commit = <A>(transaction: Transaction, operation: string, result: A): Effect.Effect<A, DatabaseUnavailable> => {
    if (!database.resume(transaction)) return fail(operation, "the server had ended the transaction")
    openTransactions.delete(transaction)
    database.commit(transaction)
    const isLost = world.injects("commit acknowledgment lost")
    const response = respond(operation, result, transaction)
    return isLost ? Effect.andThen(response, fail(operation, "committed, and the response lost")) : response
  }

  const begin = (): Transaction => {
    const transaction = database.begin()
    openTransactions.add(transaction)
    return transaction
  }

  const abort = (transaction: Transaction) =>
    Effect.sync(() => {
      openTransactions.delete(transaction)
      database.abort(transaction)
    })

  type Work<A, E> = (transaction: Transaction) => Effect.Effect<A, E | DatabaseUnavailable>

  /** If the statement fails, the transaction aborts. */
  const inTransaction = <A, E>(outer: Transaction, operation: string, work: Work<A, E>) =>
    deliver(
      operation,
      () => {
        if (!database.resume(outer)) return fail(operation, "the server had ended the transaction")
        return Effect.flatMap(work(outer), (result) => {
          outer.idleSince = world.now()
          return respond(operation, result, outer)
        })
      },
      outer
    ).pipe(Effect.onError(() => abort(outer)))

  const autocommit = <A, E>(operation: string, work: Work<A, E>) =>
    deliver(operation, () => {
      const own = begin()
      return Effect.flatMap(work(own), (result) => commit(own, operation, result)).pipe(
        Effect.onError(() => abort(own))
      )
    })

  const statement: Connection["statement"] = (operation, work) =>
    Effect.withFiber((fiber) => {
      const outer = fiber.getRef(CurrentTransaction)
      return process.whenRunning(() =>
        outer === undefined ? autocommit(operation, work) : inTransaction(outer, operation, work)
      )
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
              return yield* deliver(`committing ${operation}`, () => commit(own, operation, result), own)
            })
          ),
        abort
      )
    })

  return { statement, transaction }
}
