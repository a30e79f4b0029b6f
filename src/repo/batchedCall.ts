import { Cause, type Context, Effect, Exit } from "effect"
import { togetherOrAlone } from "./ownFault.ts"

/** Bounds a statement's memory. */
const maxBatch = 32

interface Asked<Item, A, E> {
  readonly item: Item
  readonly context: Context.Context<never>
  readonly resume: (result: Exit.Exit<A, E>) => void
}

/**
 * Runs one statement for all items that are requested in one turn of the event loop, because a statement, its time
 * limit and its round trip cost more than a row. `run` returns each item's result in order. Its failure fails every
 * item, but after a defect each item runs alone. A statement has at most `most` items. It continues if a caller is
 * interrupted, and has the first caller's context.
 *
 * RequestResolver takes five times as long for a single item. The returned function starts a request, and returns a
 * function that cancels it until its batch begins. Neither is an effect, so callers need no fiber.
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
      // An exception before there is an effect is a defect too, and must not reach the event loop.
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
    // oxlint-disable-next-line no-restricted-globals -- A turn of the event loop gathers them; a fiber takes longer.
    if (waiting.push(asked) === 1) setImmediate(runAll)
    return () => {
      waiting = waiting.filter((other) => other !== asked)
    }
  }
}

export const makeBatchedCall = <Item, A, E, EBatch>(
  ...options: Parameters<typeof makeBatchedAsk<Item, A, E, EBatch>>
) => callBy(makeBatchedAsk(...options))

export const callBy =
  <Item, A, E>(
    ask: (item: Item, context: Context.Context<never>, resume: (exit: Exit.Exit<A, E>) => void) => () => void
  ) =>
  (item: Item): Effect.Effect<A, E> =>
    Effect.contextWith((context) => Effect.callback((resume) => Effect.sync(ask(item, context, resume))))
