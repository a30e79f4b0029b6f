import { DateTime } from "effect"
import type { TargetId } from "../../domain/ids.ts"

const digits = "234567abcdefghijklmnopqrstuvwxyz"
const keyLength = 13

/**
 * The key of a target's record: a TID, which is the microseconds of the first attempt and a clock id. The microseconds
 * within the millisecond and the clock id come from the target, so that two targets of one moment have two keys.
 */
export const recordKey = (targetId: TargetId, firstAttempt: DateTime.Utc): string => {
  const ofTarget = Number.parseInt(targetId.replaceAll("-", "").slice(-8), 16)
  const micros = BigInt(DateTime.toEpochMillis(firstAttempt)) * 1000n + BigInt(ofTarget % 1000)
  let rest = (micros << 10n) | BigInt(Math.floor(ofTarget / 1000) % 1024)
  let key = ""
  while (key.length < keyLength) {
    key = digits.charAt(Number(rest & 31n)) + key
    rest >>= 5n
  }
  return key
}
