import { type Array as Arr, Effect, type Exit, Request, RequestResolver, Semaphore } from "effect"
import { isOwnFault, togetherOrAlone } from "./ownFault.ts"

/** The most items of one batch. */
const maxBatch = 128

interface Write<Item, A, E> extends Request.Request<A, E> {
  readonly item: Item
}

/**
 * Writes items in batches: while a batch is written the next one accumulates, and a lone item is written at once. `write`
 * returns the result of each item in their order; what it fails with, every item fails with, unless it is the fault of some
 * items, which are told from the others by writing each alone. An item whose caller is
 * interrupted before its batch began is not written; afterwards the batch goes on without that caller.
 *
 * A batch first waits for `gather`, if others are expected that are not worth a batch of their own. `writeAll` writes what is a batch
 * already.
 */
export const makeGroupCommit = Effect.fnUntraced(function* <Item, A, E, EBatch>(
  write: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  gather: Effect.Effect<void> = Effect.void
) {
  const turn = yield* Semaphore.make(1)
  const toRequest = Request.of<Write<Item, A, E | EBatch>>()
  const writeAll = (items: Arr.NonEmptyReadonlyArray<Item>) =>
    turn.withPermits(1)(togetherOrAlone(items, write, isOwnFault))
  const resolver = RequestResolver.make<Write<Item, A, E | EBatch>>((entries) =>
    Effect.map(
      writeAll([entries[0].request.item, ...entries.slice(1).map(({ request }) => request.item)]),
      (results) => {
        for (const [index, result] of results.entries()) entries[index]?.completeUnsafe(result)
      }
    )
  )
  // The yield lets everything into a batch that asks at the same moment.
  const batched = RequestResolver.setDelayEffect(
    resolver,
    Effect.andThen(Effect.andThen(Effect.yieldNow, gather), turn.withPermits(1)(Effect.void))
  ).pipe(RequestResolver.batchN(maxBatch))
  const writeOne = (item: Item): Effect.Effect<A, E | EBatch> => Effect.request(toRequest({ item }), batched)
  return { writeOne, writeAll }
})
