import { Cause, Effect, type Exit, Request, RequestResolver } from "effect"
import { togetherOrAlone } from "./ownFault.ts"

/** The most keys of one statement, which bounds what its result takes in memory. */
const maxBatch = 32

interface Read<Key, A, E> extends Request.Request<A, E> {
  readonly key: Key
}

/**
 * Reads by one statement what is asked for in one turn of the event loop: the statement, its time limit and its round
 * trip cost more than a row does. `read` returns the result of each key in their order; what it fails with, every
 * key fails with, unless it is a defect, for which each key is read alone. A statement is for at most 32 keys, or `most`. It goes on without a caller that is
 * interrupted, and has the context of the first caller.
 */
export const makeBatchedRead = <Key, A, E, EBatch>(
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  most = maxBatch
) => {
  const toRequest = Request.of<Read<Key, A, E | EBatch>>()
  const resolver = RequestResolver.make<Read<Key, A, E | EBatch>>((entries) =>
    Effect.map(
      togetherOrAlone(
        [entries[0].request.key, ...entries.slice(1).map(({ request }) => request.key)],
        read,
        Cause.hasDies
      ),
      (results) => {
        for (const [index, result] of results.entries()) entries[index]?.completeUnsafe(result)
      }
    )
  ).pipe(RequestResolver.batchN(most))
  return (key: Key): Effect.Effect<A, E | EBatch> => Effect.request(toRequest({ key }), resolver)
}
