import { Record } from "effect"
import type { Dice } from "./dice.ts"

/**
 * What can go wrong whenever a process asks the database or a platform for something: the probability of a seed that
 * has few of it, and of one that has much.
 */
const rates = {
  /** The process is killed before it asks, or before it hears the answer. */
  death: [0.001, 0.01],
  /** The connection to the database is lost before a statement or a commit takes effect. */
  "statement lost": [0.01, 0.08],
  /** It is lost after the commit took effect. */
  "answer to commit lost": [0.01, 0.08],
  "database slow": [0.02, 0.1],
  /** The process stands still, with the database's answer before it, for longer than anything that was granted with it. */
  stall: [0.001, 0.01],
  /** The process is told to stop while it waits for a platform, which answers late. */
  stop: [0.005, 0.04],
  "notification lost": [0.1, 0.7],
  "connection refused": [0.05, 0.2],
  "request lost": [0.04, 0.15],
  "request late": [0.04, 0.15],
  "answer lost": [0.06, 0.2],
  "answer slow": [0.05, 0.3],
  "server error before": [0.05, 0.2],
  "server error after": [0.05, 0.2],
  "rate limit": [0.04, 0.15],
  rejection: [0.03, 0.1],
  /** Something before the platform refuses, and does not speak as the platform does. */
  "stray refusal": [0.02, 0.08],
  "timeline late": [0.1, 0.6]
} as const

export type Fault = keyof typeof rates
export type FaultRates = Readonly<Record<Fault, number>>

export const noFaults: FaultRates = Record.map(rates, () => 0)

/** The faults of one seed: about half of the kinds, each now and then or often, so that seeds differ in what they try. */
export const drawRates = (dice: Dice): FaultRates =>
  Record.map(rates, ([few, many]) => {
    if (dice.chance(0.5)) return 0
    return dice.chance(0.3) ? many : few
  })

export const faultKinds = Record.keys(rates)
