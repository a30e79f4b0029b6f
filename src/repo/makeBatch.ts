import { Array as Arr, Context, Deferred, type Duration, Effect, Exit, Function, Latch, Semaphore } from "effect"
import { awaitWithGrace } from "../domain/grace.ts"
import { CurrentRequester } from "../domain/requester.ts"
import type { BatchBounds } from "./batchBounds.ts"
import { asBatchOfOne, isOwnFault, orEachAlone } from "./ownFault.ts"

interface Asked<Item, A, E> {
  readonly item: Item
  readonly context: Context.Context<never>
  readonly resume: (result: Exit.Exit<A, E>) => void
}

/** Delays a batch until enough announced items have joined it. */
const makeGathering = ({ atMost, enough }: NonNullable<BatchBounds["gather"]>) => {
  const isEnough = Latch.makeUnsafe(true)
  let expected = 0
  let waiting = 0
  const update = () => {
    if (expected === 0 || waiting >= enough) isEnough.openUnsafe()
    else isEnough.closeUnsafe()
  }
  return {
    gather: Effect.asVoid(Effect.timeoutOption(isEnough.await, atMost)),
    count: (items: number) => {
      waiting = items
      update()
    },
    expect: (items: number) => {
      expected += items
      update()
    }
  }
}

/** The service's own context, because a batch serves several requesters. */
const withoutRequester = (context: Context.Context<never>): Context.Context<never> =>
  Context.get(context, CurrentRequester) === undefined ? context : Context.add(context, CurrentRequester, undefined)

/** The first items in turns of their owners: the first of each, then the second of each, in order of arrival. */
const firstInTurns = <Item>(items: ReadonlyArray<Item>, most: number, ownerOf: (item: Item) => string) => {
  if (items.length <= most) return items
  const counts = new Map<string, number>()
  const turns = items.map((item) => {
    const turn = counts.get(ownerOf(item)) ?? 0
    counts.set(ownerOf(item), turn + 1)
    return { item, turn }
  })
  return turns
    .toSorted((left, right) => left.turn - right.turn)
    .slice(0, most)
    .map(({ item }) => item)
}

/**
 * Runs items of the same moment in one batch, because a statement, its time limit, its round trip and its commit cost
 * more than a row. A lone item runs immediately.
 *
 * - `run` returns each item's result in order, and its failure fails every item. If some items caused the failure, each
 *   runs alone, beside the next batch, by `runAlone` or as a batch of one.
 * - An item whose caller is interrupted before the batch begins is left out. Later, the batch continues, even without
 *   callers.
 * - A batch waits for announced items, then for its turn, and then for `mayBegin`. Items can join until then.
 * - With `ownerOf`, the owners of waiting items take turns, so that no owner's items delay those of others.
 * - A batch has its first caller's context, and runs as the service's own work.
 *
 * RequestResolver takes five times as long for a single item, and starts a full batch without waiting for a turn.
 */
export const makeBatch = <Item, A, E, EBatch>(
  { concurrency, gather, most }: BatchBounds,
  run: (batch: Arr.NonEmptyReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  {
    mayBegin,
    ownerOf,
    runAlone = asBatchOfOne(run)
  }: {
    readonly mayBegin?: Effect.Effect<void>
    readonly ownerOf?: (item: Item) => string
    readonly runAlone?: (item: Item) => Effect.Effect<A, E | EBatch>
  } = {}
) => {
  type Waiting = Asked<Item, A, E | EBatch>
  const inTurn = concurrency === "unbounded" ? Function.identity : Semaphore.makeUnsafe(concurrency).withPermits(1)
  const gathering = gather && makeGathering(gather)
  let waiting: Array<Waiting> = []
  const countWaiting = () => gathering?.count(waiting.length)

  const takeNext = (): ReadonlyArray<Waiting> => {
    if (ownerOf === undefined) return waiting.splice(0, most)
    const next = firstInTurns(waiting, most, ({ item }) => ownerOf(item))
    const taken = new Set(next)
    waiting = waiting.filter((asked) => !taken.has(asked))
    return next
  }

  const runWaiting = Effect.suspend(() => {
    const [first, ...others] = takeNext()
    countWaiting()
    beginNext()
    if (first === undefined) return Effect.undefined
    const items = Arr.make(first.item, ...others.map(({ item }) => item))
    // `suspend` turns an exception that `run` throws into a defect. Otherwise callers would wait forever.
    const together = Effect.suspend(() => run(items))
    const context = withoutRequester(first.context)
    const batch = { all: [first, ...others], context, items }
    // The caller that began the batch may have left.
    return Effect.map(Effect.exit(Effect.provideContext(together, context)), (result) => ({ batch, result }))
  })

  const resumeAll = (
    all: ReadonlyArray<Waiting>,
    result: Exit.Exit<ReadonlyArray<Exit.Exit<A, E | EBatch>>, EBatch>
  ) => {
    for (const [index, { resume }] of all.entries()) {
      const own = Exit.isSuccess(result) ? result.value[index] : Exit.failCause(result.cause)
      // A caller that throws must not keep the results from the others.
      try {
        resume(own ?? Exit.die("An item of a batch has no result"))
      } catch (defect) {
        resume(Exit.die(defect))
      }
    }
  }

  const begin = mayBegin === undefined ? runWaiting : Effect.andThen(mayBegin, runWaiting)
  // The yield lets all items of the same moment join.
  const gathered = gathering === undefined ? Effect.yieldNow : Effect.andThen(Effect.yieldNow, gathering.gather)
  const runNext = gathered.pipe(
    Effect.andThen(inTurn(begin)),
    Effect.flatMap((done) => {
      if (done === undefined) return Effect.void
      const { all, context, items } = done.batch
      if (Exit.isSuccess(done.result)) return Effect.succeed(resumeAll(all, done.result))
      // Runs after the turn, so that a wait for a locked row does not delay the next batch.
      const alone = orEachAlone<Item, A, E | EBatch, EBatch>(items, isOwnFault, runAlone)(done.result)
      return Effect.map(Effect.exit(Effect.provideContext(alone, context)), (result) => resumeAll(all, result))
    })
  )

  const beginNext = () => {
    const [first] = waiting
    if (first !== undefined) Effect.runForkWith(first.context)(runNext)
  }

  /** Returns a function that removes the item until its batch begins. Not an effect: a caller needs no fiber. */
  const ask = (item: Item, context: Context.Context<never>, resume: Waiting["resume"]): (() => void) => {
    const asked: Waiting = { item, context, resume }
    if (waiting.push(asked) === 1) beginNext()
    countWaiting()
    return () => {
      const place = waiting.indexOf(asked)
      if (place >= 0) waiting.splice(place, 1)
      countWaiting()
    }
  }

  const call = (item: Item): Effect.Effect<A, E | EBatch> =>
    Effect.contextWith((context) => Effect.callback((resume) => Effect.sync(ask(item, context, resume))))

  /** After an interruption in an uninterruptible region, waits for at most `grace`. */
  const callWithGrace =
    (grace: Duration.Input) =>
    (item: Item): Effect.Effect<A, E | EBatch> =>
      Effect.contextWith((context: Context.Context<never>) => {
        const result = Deferred.makeUnsafe<A, E | EBatch>()
        const takeBack = ask(item, context, (exit) => Deferred.doneUnsafe(result, exit))
        return Effect.onInterrupt(awaitWithGrace(Deferred.await(result), grace), () => Effect.sync(takeBack))
      })

  /** Announces an item. Returns a function that cancels the announcement. */
  const expect = () => {
    let isExpected = true
    gathering?.expect(1)
    return () => {
      if (isExpected) gathering?.expect(-1)
      isExpected = false
    }
  }

  return { ask, call, callWithGrace, expect }
}
