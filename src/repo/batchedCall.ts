import { Cause, type Context, Effect, Exit } from "effect"
import { togetherOrAlone } from "./ownFault.ts"

/** The most items of one statement, which bounds what it takes in memory. */
const maxBatch = 32

/** An item that is asked for, and who waits for its result. */
interface Asked<Item, A, E> {
  readonly item: Item
  readonly context: Context.Context<never>
  readonly resume: (result: Exit.Exit<A, E>) => void
}

/**
 * Runs one statement for what is asked for in one turn of the event loop: the statement, its time limit and its round
 * trip cost more than a row does. `run` returns the result of each item in their order; what it fails with, every
 * item fails with, unless it is a defect, for which each item is run alone. A statement is for at most 32 items, or `most`.
 * It goes on without a caller that is interrupted, and has the context of the first caller.
 *
 * Not by RequestResolver, which takes five times as long for an item that is alone. The function that it returns asks for an item
 * and returns how to leave the batch that has not begun; it has no effect, so that whoever has no fiber needs none.
 */
export const makeBatchedAsk = <Item, A, E, EBatch>(
  run: (items: ReadonlyArray<Item>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  most = maxBatch
) => {
  type Waiting = Asked<Item, A, E | EBatch>
  let waiting: Array<Waiting> = []

  const runBatch = (first: Waiting, others: ReadonlyArray<Waiting>) => {
    const all = [first, ...others]
    const running = togetherOrAlone(
      [first.item, ...others.map(({ item }) => item)],
      // What throws before it is an effect is a defect too, and not one of the event loop.
      (items) => Effect.suspend(() => run(items)),
      Cause.hasDies
    )
    Effect.runForkWith(first.context)(running).addObserver((exit) => {
      for (const [index, { resume }] of all.entries()) {
        const own = Exit.isSuccess(exit) ? exit.value[index] : Exit.failCause(exit.cause)
        resume(own ?? Exit.die("An item of a batch has no result"))
      }
    })
  }

  const runAll = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += most) {
      const [first, ...others] = all.slice(from, from + most)
      if (first !== undefined) runBatch(first, others)
    }
  }

  return (item: Item, context: Context.Context<never>, resume: Waiting["resume"]): (() => void) => {
    const asked: Waiting = { item, context, resume }
    // oxlint-disable-next-line no-restricted-globals -- A turn of Node's event loop is what gathers them; a fiber takes longer.
    if (waiting.push(asked) === 1) setImmediate(runAll)
    return () => {
      waiting = waiting.filter((other) => other !== asked)
    }
  }
}

/** The same as an effect. */
export const makeBatchedCall = <Item, A, E, EBatch>(
  ...options: Parameters<typeof makeBatchedAsk<Item, A, E, EBatch>>
) => callBy(makeBatchedAsk(...options))

/** Calls for an item by a function that asks for it. */
export const callBy =
  <Item, A, E>(
    ask: (item: Item, context: Context.Context<never>, resume: (exit: Exit.Exit<A, E>) => void) => () => void
  ) =>
  (item: Item): Effect.Effect<A, E> =>
    Effect.contextWith((context) => Effect.callback((resume) => Effect.sync(ask(item, context, resume))))
