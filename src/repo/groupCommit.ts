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
 */
export const makeGroupCommit = Effect.fnUntraced(function* <Item, A, E, EBatch>(
  write: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>
) {
  const turn = yield* Semaphore.make(1)
  const toRequest = Request.of<Write<Item, A, E | EBatch>>()
  const resolver = RequestResolver.make<Write<Item, A, E | EBatch>>((entries) =>
    turn.withPermits(1)(
      Effect.map(
        togetherOrAlone(
          [entries[0].request.item, ...entries.slice(1).map(({ request }) => request.item)],
          write,
          isOwnFault
        ),
        (results) => {
          for (const [index, result] of results.entries()) entries[index]?.completeUnsafe(result)
        }
      )
    )
  )
  // The yield lets everything into a batch that asks at the same moment.
  const batched = RequestResolver.setDelayEffect(
    resolver,
    Effect.andThen(Effect.yieldNow, turn.withPermits(1)(Effect.void))
  ).pipe(RequestResolver.batchN(maxBatch))
  return (item: Item): Effect.Effect<A, E | EBatch> => Effect.request(toRequest({ item }), batched)
})
