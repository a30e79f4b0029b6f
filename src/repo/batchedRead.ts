import { Cause, type Context, Effect, Exit } from "effect"
import { togetherOrAlone } from "./ownFault.ts"

/** The most keys of one statement, which bounds what its result takes in memory. */
const maxBatch = 32

/** A key that is asked for, and who waits for it. */
interface Asked<Key, A, E> {
  readonly key: Key
  readonly context: Context.Context<never>
  readonly resume: (result: Exit.Exit<A, E>) => void
}

/**
 * Reads by one statement what is asked for in one turn of the event loop: the statement, its time limit and its round
 * trip cost more than a row does. `read` returns the result of each key in their order; what it fails with, every
 * key fails with, unless it is a defect, for which each key is read alone. A statement is for at most 32 keys, or `most`. It goes
 * on without a caller that is interrupted, and has the context of the first caller.
 *
 * Not by RequestResolver, which takes five times as long for a key that is alone. The function that it returns asks for a key
 * and returns how to leave the batch that has not begun; it has no effect, so that whoever has no fiber needs none.
 */
export const makeBatchedAsk = <Key, A, E, EBatch>(
  read: (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, EBatch>,
  most = maxBatch
) => {
  type Waiting = Asked<Key, A, E | EBatch>
  let waiting: Array<Waiting> = []

  const readBatch = (first: Waiting, others: ReadonlyArray<Waiting>) => {
    const all = [first, ...others]
    const reading = togetherOrAlone([first.key, ...others.map(({ key }) => key)], read, Cause.hasDies)
    Effect.runForkWith(first.context)(reading).addObserver((exit) => {
      for (const [index, { resume }] of all.entries()) {
        const own = Exit.isSuccess(exit) ? exit.value[index] : Exit.failCause(exit.cause)
        resume(own ?? Exit.die("A key of a batch has no result"))
      }
    })
  }

  const readAll = () => {
    const all = waiting
    waiting = []
    for (let from = 0; from < all.length; from += most) {
      const [first, ...others] = all.slice(from, from + most)
      if (first !== undefined) readBatch(first, others)
    }
  }

  return (key: Key, context: Context.Context<never>, resume: Waiting["resume"]): (() => void) => {
    const asked: Waiting = { key, context, resume }
    // oxlint-disable-next-line no-restricted-globals -- A turn of Node's event loop is what gathers them; a fiber takes longer.
    if (waiting.push(asked) === 1) setImmediate(readAll)
    return () => {
      waiting = waiting.filter((other) => other !== asked)
    }
  }
}

/** The same as an effect. */
export const makeBatchedRead = <Key, A, E, EBatch>(...options: Parameters<typeof makeBatchedAsk<Key, A, E, EBatch>>) =>
  readBy(makeBatchedAsk(...options))

/** Reads a key by a function that asks for it. */
export const readBy =
  <Key, A, E>(
    ask: (key: Key, context: Context.Context<never>, resume: (exit: Exit.Exit<A, E>) => void) => () => void
  ) =>
  (key: Key): Effect.Effect<A, E> =>
    Effect.contextWith((context) => Effect.callback((resume) => Effect.sync(ask(key, context, resume))))
