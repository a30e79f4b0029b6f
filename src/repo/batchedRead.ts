import { Cause, Effect, Exit, Request, RequestResolver } from "effect"

/** The most keys of one statement, which bounds what its result takes in memory. */
const maxBatch = 32

interface Read<Key, A, E> extends Request.Request<A, E> {
  readonly key: Key
}

/** How many keys of a batch that failed are read at once. */
const singlesAtOnce = 4

/** Reads keys together, or each alone if a defect ends the statement: what is stored under one must not fail the others. */
const readTogether = <Key, A, E, EBatch>(
  keys: ReadonlyArray<Key>,
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>
): Effect.Effect<ReadonlyArray<Exit.Exit<A, E | EBatch>>, EBatch> => {
  if (keys.length === 1) return read(keys)
  const readAlone = (key: Key) =>
    Effect.exit(Effect.flatMap(read([key]), ([found = Exit.die("A read has no result")]) => found))
  return Effect.catchCauseIf(read(keys), Cause.hasDies, () =>
    Effect.forEach(keys, readAlone, { concurrency: singlesAtOnce })
  )
}

/**
 * Reads by one statement what is asked for in one turn of the event loop: the statement, its time limit and its round
 * trip cost more than a row does. `read` returns the result of each key in their order; what it fails with, every
 * key fails with, unless it is a defect, for which each key is read alone. The statement goes on without a caller that is interrupted, and has the context of the first caller.
 */
export const makeBatchedRead = <Key, A, E, EBatch>(
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>
) => {
  const toRequest = Request.of<Read<Key, A, E | EBatch>>()
  const resolver = RequestResolver.make<Read<Key, A, E | EBatch>>((entries) =>
    Effect.map(
      readTogether(
        entries.map(({ request }) => request.key),
        read
      ),
      (results) => {
        for (const [index, result] of results.entries()) entries[index]?.completeUnsafe(result)
      }
    )
  ).pipe(RequestResolver.batchN(maxBatch))
  return (key: Key): Effect.Effect<A, E | EBatch> => Effect.request(toRequest({ key }), resolver)
}
