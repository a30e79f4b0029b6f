import { Array as Arr, type Context, Deferred, type Duration, Effect, Exit, Semaphore } from "effect"
import { awaitWithGrace } from "../domain/grace.ts"
import { asBatchOfOne, isOwnFault, orEachAlone } from "./ownFault.ts"

interface Asked<Item, A, E> {
  readonly item: Item
  readonly context: Context.Context<never>
  readonly done: (result: Exit.Exit<A, E>) => void
}

/**
 * Writes items in batches: while one batch is written, the next accumulates. A lone item is written immediately.
 * `write` returns each item's result in order, and its failure fails every item. If some items caused the failure, each
 * is written alone, during the next batch, by `writeAlone` or as a batch of one. If a caller is interrupted before its
 * batch begins, its item is not written; later, the batch continues without it. The batch has its first caller's
 * context.
 *
 * A batch first waits for `gather`, for items that are not worth a batch of their own, and then in its turn for
 * `mayBegin`. Items can join until then. In an uninterruptible region, `writeFor` waits for a while after an
 * interruption.
 *
 * RequestResolver takes several times as long for each item.
 */
export const makeGroupCommit = Effect.fnUntraced(function* <Item, A, E, EBatch>(
  write: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  {
    gather = Effect.void,
    maxBatch = 128,
    mayBegin = Effect.void,
    writeAlone = asBatchOfOne(write)
  }: {
    readonly gather?: Effect.Effect<void>
    readonly maxBatch?: number
    readonly mayBegin?: Effect.Effect<void>
    readonly writeAlone?: (item: Item) => Effect.Effect<A, E | EBatch>
  } = {}
) {
  type Waiting = Asked<Item, A, E | EBatch>
  const turn = yield* Semaphore.make(1)
  const writeTurn = turn.withPermits(1)
  // An exception before there is an effect is a defect too. Otherwise callers would wait forever.
  const together = (
    items: Arr.NonEmptyReadonlyArray<Item>
  ): Effect.Effect<ReadonlyArray<Exit.Exit<A, E | EBatch>>, EBatch> => Effect.suspend(() => write(items))
  const orAlone = (items: Arr.NonEmptyReadonlyArray<Item>) =>
    orEachAlone<Item, A, E | EBatch, EBatch>(items, isOwnFault, writeAlone)
  let waiting: Array<Waiting> = []

  const writeWaiting = Effect.suspend(() => {
    const batch = waiting.slice(0, maxBatch)
    waiting = waiting.slice(maxBatch)
    beginNext()
    const [first, ...others] = batch
    if (first === undefined) return Effect.undefined
    const items = Arr.make(first.item, ...others.map(({ item }) => item))
    // The batch's first caller may have left it.
    return Effect.map(Effect.exit(Effect.provideContext(together(items), first.context)), (written) => ({
      batch,
      context: first.context,
      items,
      written
    }))
  })

  const writeNext = Effect.gen(function* () {
    // Lets in all items of the same moment.
    yield* Effect.yieldNow
    yield* gather
    const done = yield* writeTurn(Effect.andThen(mayBegin, writeWaiting))
    if (done === undefined) return
    // Without the turn, so that a wait for a locked row does not delay the next batch.
    const exit = yield* Effect.exit(Effect.provideContext(orAlone(done.items)(done.written), done.context))
    for (const [index, asked] of done.batch.entries()) {
      const own = Exit.isSuccess(exit) ? exit.value[index] : Exit.failCause(exit.cause)
      asked.done(own ?? Exit.die("An item of a batch has no result"))
    }
  })

  const beginNext = () => {
    const [first] = waiting
    if (first !== undefined) Effect.runForkWith(first.context)(writeNext)
  }

  const ask = (asked: Waiting) => {
    if (waiting.push(asked) === 1) beginNext()
  }

  const leave = (asked: Waiting) =>
    Effect.sync(() => {
      const place = waiting.indexOf(asked)
      if (place >= 0) waiting.splice(place, 1)
    })

  const writeOne = (item: Item): Effect.Effect<A, E | EBatch> =>
    Effect.contextWith((context) =>
      Effect.callback((resume) => {
        const asked: Waiting = { item, context, done: resume }
        ask(asked)
        return leave(asked)
      })
    )

  const writeFor =
    (grace: Duration.Input) =>
    (item: Item): Effect.Effect<A, E | EBatch> =>
      Effect.contextWith((context: Context.Context<never>) => {
        const written = Deferred.makeUnsafe<A, E | EBatch>()
        const asked: Waiting = { item, context, done: (result) => Deferred.doneUnsafe(written, result) }
        ask(asked)
        return Effect.onInterrupt(awaitWithGrace(Deferred.await(written), grace), () => leave(asked))
      })

  return { writeOne, writeFor }
})
