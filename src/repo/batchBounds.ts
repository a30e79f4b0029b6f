import { Duration } from "effect"

export interface BatchBounds {
  /** The most items of a batch. */
  readonly most: number
  /** The most batches at a time. If unbounded, a call waits only for its own batch. */
  readonly concurrency: number | "unbounded"
  /** While more items are announced, a batch waits for `enough` items, or for `atMost`. */
  readonly gather?: { readonly enough: number; readonly atMost: Duration.Duration }
}

/**
 * The bounds of all batches. Queues need none, because every caller waits for its item, and limits on requests and
 * slots bound the callers. The callers' limits also bound a batch's memory.
 */
export const batchBounds = {
  /** Bounds the statement's memory, because a thread can have hundreds of kilobytes. */
  readPosts: { most: 32, concurrency: "unbounded" },
  /** Other reads on the connection wait for the whole batch. A list has at most about 64 KB and one post. */
  listPosts: { most: 8, concurrency: "unbounded" },
  /** Every post waits for its whole batch. While these run, posts of several workspaces gather and take turns. */
  createPosts: { most: 16, concurrency: 3 },
  /** Rows of a few hundred bytes. One batch at a time holds one connection. */
  readCredentials: { most: 128, concurrency: 1 },
  takeRenewals: { most: 128, concurrency: 1 },
  storeRenewals: { most: 128, concurrency: 1 },
  /** A kill leaves the outcome of each stored intent unknown. */
  storeIntents: { most: 48, concurrency: 1 },
  /** Settlements have one connection. A kill leaves each gathered outcome unknown. */
  storeSettlements: { most: 128, concurrency: 1, gather: { enough: 32, atMost: Duration.millis(20) } }
} as const satisfies Record<string, BatchBounds>

/** No intent is stored while this many outcomes are unwritten, because a kill makes each outcome unknown. */
export const mostUnwritten = 48

/** The most items that run alone, and the most writes that wait for locked rows. More could use up the connections. */
export const singlesAtOnce = 4
