import { Clock, Duration, Effect, Random } from "effect"
import {
  type AnswerFault,
  answerRates,
  type Fault,
  type FaultRates,
  noFaults,
  type OddityFault,
  oddityRates,
  type RenewalFault,
  renewalRates
} from "./faults.ts"
import { makePrng, type Prng } from "./prng.ts"

/**
 * Shared by everything in one simulation: true time, which the database goes by, the PRNG, the faults and the trace.
 */
export interface World {
  readonly prng: Prng
  /** Random numbers for threads. Separate, so that simulations without threads stay the same. */
  readonly threads: Prng
  /** Random numbers for false answers and for answers that do not come from the platform. */
  readonly answers: Prng
  /** Draws if such an answer is given, and counts it. */
  readonly answersWith: (fault: AnswerFault) => boolean
  readonly setAnswerFaults: (happen: boolean) => void
  /** Random numbers for the lifetime of access and for faults in renewals. */
  readonly access: Prng
  /** Draws if such a fault meets a renewal, and counts it. */
  readonly renewalMeets: (fault: RenewalFault) => boolean
  readonly setRenewalFaults: (happen: boolean) => void
  /** Random numbers for the platforms that an operator enables. */
  readonly platforms: Prng
  /** Draws if such a platform behaves oddly, and counts it. */
  readonly behavesOddly: (oddity: OddityFault) => boolean
  readonly setOddities: (happen: boolean) => void
  /** Random numbers for the times at which processes can't store outcomes. */
  readonly settling: Prng
  /** True time; a process's clock may be off. */
  readonly clock: Clock.Clock
  /** True time in whole milliseconds. */
  readonly now: () => number
  /** In true time, regardless of the fiber's clock. */
  readonly sleep: (millis: number) => Effect.Effect<void>
  /** The new fiber does not end with the fiber that starts it. */
  readonly fork: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** Draws if a fault is injected here, and counts it. */
  readonly injects: (fault: Fault) => boolean
  readonly setFaultRates: (rates: FaultRates) => void
  /** True if sending this request always crashes the process: a poison message. */
  readonly isPoison: (body: string) => boolean
  readonly setPoison: (text: string | undefined) => void
  /**
   * True if many accounts publish at the same moment, settlements are slow so that others form another batch, and
   * processes often crash between the steps of a batch.
   */
  readonly isCrowded: () => boolean
  readonly setCrowded: (isCrowded: boolean) => void
  readonly count: (what: string) => void
  /** By fault and by event of interest. */
  readonly counts: ReadonlyMap<string, number>
  readonly log: (who: string, what: string) => void
  readonly trace: ReadonlyArray<string>
  /** Reports a violated invariant. */
  readonly violate: (what: string) => void
  readonly violations: ReadonlyArray<string>
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute

/** The start of every simulation. */
export const startTime = Date.UTC(2030, 0, 31, 12)

/** In days, hours, minutes and seconds since the start. */
const formatElapsed = (at: number): string => {
  const elapsed = at - startTime
  const part = (unit: number, base: number) => String(Math.floor(elapsed / unit) % base).padStart(2, "0")
  return `${Math.floor(elapsed / 86_400_000)}d ${part(3_600_000, 24)}:${part(60_000, 60)}:${part(1000, 60)}.${String(elapsed % 1000).padStart(3, "0")}`
}

/** Uses the current Clock and Random. `seed` is for its threads. */
export const makeWorld = Effect.fnUntraced(function* (seed: number) {
  const prng = yield* makePrng
  const threads = yield* Random.withSeed(makePrng, `threads of ${seed}`)
  const answers = yield* Random.withSeed(makePrng, `answers of ${seed}`)
  const access = yield* Random.withSeed(makePrng, `access of ${seed}`)
  const platforms = yield* Random.withSeed(makePrng, `platforms of ${seed}`)
  const settling = yield* Random.withSeed(makePrng, `settling of ${seed}`)
  const clock = yield* Clock.clockWith(Effect.succeed)
  const trace: Array<string> = []
  const violations: Array<string> = []
  const counts = new Map<string, number>()
  let rates: FaultRates = noFaults
  let poison: string | undefined
  let crowded = false
  let answerFaults = false
  let renewalFaults = false
  let oddities = false
  // Rounded down, because a sleep with jitter can end at a fraction of a millisecond.
  const now = () => Math.floor(clock.currentTimeMillisUnsafe())
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const log = (who: string, what: string) => void trace.push(`${formatElapsed(now())} ${who}: ${what}`)
  return {
    prng,
    threads,
    answers,
    answersWith: (fault) => {
      const isDrawn = answerFaults && answers.chance(answerRates[fault])
      if (isDrawn) count(fault)
      return isDrawn
    },
    setAnswerFaults: (happen) => {
      answerFaults = happen
    },
    access,
    renewalMeets: (fault) => {
      const isDrawn = renewalFaults && access.chance(renewalRates[fault])
      if (isDrawn) count(fault)
      return isDrawn
    },
    setRenewalFaults: (happen) => {
      renewalFaults = happen
    },
    platforms,
    behavesOddly: (oddity) => {
      const isDrawn = oddities && platforms.chance(oddityRates[oddity])
      if (isDrawn) count(oddity)
      return isDrawn
    },
    setOddities: (happen) => {
      oddities = happen
    },
    settling,
    clock,
    now,
    sleep: (millis) => (millis <= 0 ? Effect.void : clock.sleep(Duration.millis(millis))),
    fork: (effect) => Effect.asVoid(Effect.forkDetach(effect)),
    injects: (fault) => {
      const isDrawn = prng.chance(rates[fault])
      if (isDrawn) count(fault)
      return isDrawn
    },
    setFaultRates: (next) => {
      rates = next
    },
    isPoison: (body) => poison !== undefined && body.includes(poison),
    setPoison: (text) => {
      poison = text
    },
    isCrowded: () => crowded,
    setCrowded: (isCrowded) => {
      crowded = isCrowded
    },
    count,
    counts,
    log,
    trace,
    violate: (what) => {
      log("VIOLATION", what)
      violations.push(what)
    },
    violations
  } satisfies World
})
