import { Record } from "effect"
import type { Prng } from "./prng.ts"

/**
 * Faults of calls to the database or a platform, with the probability in a seed with few such faults and in a seed with
 * many.
 */
const rates = {
  /** The process dies before it sends a request, or before it receives the response. */
  crash: [0.001, 0.01],
  /** The database connection is lost before a statement or a commit takes effect. */
  "statement lost": [0.01, 0.08],
  /** The database connection is lost after the commit took effect. */
  "commit acknowledgment lost": [0.01, 0.08],
  "database slow": [0.02, 0.1],
  /** The process pauses before it reads the database's response, for longer than the granted lease. */
  "process pause": [0.001, 0.01],
  /** The process gets SIGTERM while it waits for a platform, whose response is delayed. */
  "termination while sending": [0.005, 0.04],
  "notification lost": [0.1, 0.7],
  "connection refused": [0.05, 0.2],
  "connection slow": [0.05, 0.3],
  "request lost": [0.04, 0.15],
  "request delayed": [0.04, 0.15],
  "response lost": [0.06, 0.2],
  "response delayed": [0.05, 0.3],
  "server error before commit": [0.05, 0.2],
  "server error after commit": [0.05, 0.2],
  "rate limit": [0.04, 0.15],
  /** X answers that it is overloaded. If it rejects duplicates, it may still have taken the post. */
  overload: [0.1, 0.4],
  rejection: [0.03, 0.1],
  /** An intermediary refuses the request in its own format. */
  "intermediary refusal": [0.02, 0.08],
  /** The platform forgets an upload before its post. */
  "upload forgotten": [0.02, 0.2],
  "timeline lag": [0.3, 0.8]
} as const

export type Fault = keyof typeof rates
export type FaultRates = Readonly<Record<Fault, number>>

/** False answers to a post, or answers of an intermediary. A separate generator keeps other seeds' traces the same. */
export const answerRates = {
  /** An intermediary answers in its own format, and has not passed the request on. */
  "foreign answer before commit": 0.06,
  /** An intermediary answers in its own format, after the platform has carried out the request. */
  "foreign answer after commit": 0.12,
  /** X answers that it is overloaded, but it has the post and shows it after most of a minute. */
  "overload that kept the post": 0.12
} as const
export type AnswerFault = keyof typeof answerRates

/**
 * Faults in renewals of access, in seeds in which access ends before most posts are due. They have a separate generator
 * too.
 */
export const renewalRates = {
  "renewal slow": 0.3,
  /** The token endpoint grants no access. */
  "renewal unavailable": 0.1,
  /** The platform has given new access, but the response is lost. */
  "renewal response lost": 0.06,
  /** The process dies after sending its request for new access. */
  "process killed in a renewal": 0.05,
  /** Access ends sooner than the platform stated. */
  "access ended early": 0.3
} as const
export type RenewalFault = keyof typeof renewalRates

/** Odd behavior of platforms that an operator enables, in the seeds that publish there. */
export const oddityRates = {
  /** Threads or Instagram does not find a container, which may be new or old, or says that it is not ready. */
  "container not found": 0.08,
  "container slow": 0.15,
  "container fails": 0.04,
  "file not fetched": 1 / 6,
  /** Facebook does not find a post, which may be unpublished or published. */
  "post not found": 0.08,
  /** Facebook does not find a photo that it took. */
  "photo forgotten": 0.05,
  /** The address of an upload to YouTube has ended. */
  "upload ended": 0.03,
  /** YouTube says that bytes of an upload are missing, although all have arrived. */
  "upload unfinished": 0.08,
  /** The platform reports an error in its own format, but has published the post. */
  "error after publication": 0.08,
  "list late": 0.3,
  /** Threads does not find a new post when another post replies to it. */
  "post unseen by replies": 0.1
} as const
export type OddityFault = keyof typeof oddityRates

export const noFaults: FaultRates = Record.map(rates, () => 0)

/**
 * Faults that can delay due posts by more than a minute even while a process runs, because they stop the database or a
 * platform's responses.
 */
const delaying: ReadonlySet<string> = new Set<Fault>([
  "statement lost",
  "commit acknowledgment lost",
  "database slow",
  "connection refused",
  "request lost",
  "request delayed",
  "response lost",
  "response delayed"
])

/** A seed has about half of the kinds, each rare or frequent, so that seeds explore different mixes. */
export const drawFaultRates = (prng: Prng, isPunctual: boolean): FaultRates =>
  Record.map(rates, ([rare, frequent], fault) => {
    if (prng.chance(0.5) || (isPunctual && delaying.has(fault))) return 0
    return prng.chance(0.3) ? frequent : rare
  })

export const faultKinds = Record.keys(rates)
