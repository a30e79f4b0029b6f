import { Duration } from "effect"

export interface BatchBounds {
  /** The most items of a batch. */
  readonly most: number
  /** The most batches at a time. Unbounded, no call waits for another batch than its own. */
  readonly concurrency: number | "unbounded"
  /** While items are announced, a batch waits until there are `enough`, or for `atMost`. */
  readonly gather?: { readonly enough: number; readonly atMost: Duration.Duration }
}

/**
 * The bounds of all batches. A queue needs none: each caller waits for its item, so a queue is as long as its callers'
 * requests or slots. A batch's memory is that of its rows, which callers' limits bound.
 */
export const batchBounds = {
  /** Bounds the statement's memory: a post with its thread may have hundreds of kilobytes. */
  readPosts: { most: 32, concurrency: "unbounded" },
  /** All lists and other reads on the connection wait for the last one. Each has about 64 KB and one post at most. */
  listPosts: { most: 8, concurrency: "unbounded" },
  /** All posts wait for the last one. */
  createPosts: { most: 16, concurrency: "unbounded" },
  /** Rows of a few hundred bytes. One batch at a time holds one connection. */
  readCredentials: { most: 128, concurrency: 1 },
  takeRenewals: { most: 128, concurrency: 1 },
  storeRenewals: { most: 128, concurrency: 1 },
  /** A kill leaves the outcome of each stored intent unknown. */
  storeIntents: { most: 48, concurrency: 1 },
  /** There is one connection for them. A kill leaves each gathered outcome unknown. */
  storeSettlements: { most: 128, concurrency: 1, gather: { enough: 32, atMost: Duration.millis(20) } }
} as const satisfies Record<string, BatchBounds>

/** No more intents are stored while so many outcomes are unwritten, as a kill leaves each unknown. */
export const mostUnwritten = 48

/** Items that run alone at a time, and writes that wait for locked targets. Others would find no connection. */
export const singlesAtOnce = 4
