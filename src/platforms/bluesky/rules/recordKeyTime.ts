import { DateTime } from "effect"
import { smallestIdAt } from "../../../domain/ids.ts"

const keyDigits = "234567abcdefghijklmnopqrstuvwxyz"

/**
 * Target ids by the time in a key, if the service chose it. A thread's parts are microseconds later than their target.
 */
export const targetIdsOfKey = (key: string): readonly [from: string, before: string] | undefined => {
  if (!/^[2-7a-j][2-7a-z]{12}$/.test(key)) return undefined
  const bits = Array.from(key).reduce((sum, digit) => (sum << 5n) | BigInt(keyDigits.indexOf(digit)), 0n)
  const millis = Number((bits >> 10n) / 1000n)
  return [smallestIdAt(DateTime.makeUnsafe(millis - 1)), smallestIdAt(DateTime.makeUnsafe(millis + 1))]
}
