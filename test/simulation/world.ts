import { Clock, Duration, Effect } from "effect"
import { type Dice, makeDice } from "./dice.ts"
import { type Fault, type FaultRates, noFaults } from "./faults.ts"

/** What all of a simulation shares: true time, which is also the database's, chance, and the record of what happened. */
export interface World {
  readonly dice: Dice
  readonly base: Clock.Clock
  /** True time in milliseconds. */
  readonly now: () => number
  /** Waits in true time, whatever clock the waiting process has. */
  readonly sleep: (millis: number) => Effect.Effect<void>
  /** Carries on by itself, whatever becomes of who began it. */
  readonly begin: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether a fault happens now; it is counted. */
  readonly happens: (fault: Fault) => boolean
  readonly setRates: (rates: FaultRates) => void
  /** Whether a request kills whatever process is about to send it. */
  readonly isPoison: (body: string) => boolean
  readonly setPoison: (text: string | undefined) => void
  readonly count: (what: string) => void
  readonly counts: ReadonlyMap<string, number>
  readonly note: (who: string, what: string) => void
  readonly trace: ReadonlyArray<string>
  /** A promise was broken. */
  readonly violated: (what: string) => void
  readonly violations: ReadonlyArray<string>
}

/** When every simulation begins. */
export const startOfTime = Date.UTC(2030, 0, 31, 12)

/** Time since the beginning: days, hours, minutes, seconds. */
const clockFace = (at: number): string => {
  const elapsed = at - startOfTime
  const part = (unit: number, base: number) => String(Math.floor(elapsed / unit) % base).padStart(2, "0")
  return `${Math.floor(elapsed / 86_400_000)}d ${part(3_600_000, 24)}:${part(60_000, 60)}:${part(1000, 60)}.${String(elapsed % 1000).padStart(3, "0")}`
}

export const makeWorld: Effect.Effect<World> = Effect.gen(function* () {
  const dice = yield* makeDice
  const base = yield* Clock.clockWith(Effect.succeed)
  const trace: Array<string> = []
  const violations: Array<string> = []
  const counts = new Map<string, number>()
  let rates: FaultRates = noFaults
  let poison: string | undefined
  // A sleep may end within a millisecond; clocks show whole ones.
  const now = () => Math.floor(base.currentTimeMillisUnsafe())
  const count = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const note = (who: string, what: string) => void trace.push(`${clockFace(now())} ${who}: ${what}`)
  return {
    dice,
    base,
    now,
    sleep: (millis) => (millis <= 0 ? Effect.void : base.sleep(Duration.millis(millis))),
    begin: (effect) => Effect.asVoid(Effect.forkDetach(effect)),
    happens: (fault) => {
      const does = dice.chance(rates[fault])
      if (does) count(fault)
      return does
    },
    setRates: (next) => {
      rates = next
    },
    isPoison: (body) => poison !== undefined && body.includes(poison),
    setPoison: (text) => {
      poison = text
    },
    count,
    counts,
    note,
    trace,
    violated: (what) => {
      note("VIOLATION", what)
      violations.push(what)
    },
    violations
  }
})
