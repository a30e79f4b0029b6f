import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { serviceNow } from "../../api/clock.ts"
import { hasStatus } from "../../api/errors.ts"
import { type NewPostJson, validatePost, type ValidationJson } from "../../api/postActions.ts"
import { useAfterTyping } from "./useAfterTyping.ts"

type Target = ValidationJson["targets"][number]
type Measure = Pick<Target, "length" | "limit">

const delayMillis = 300

/** Milliseconds. A post without a time is checked with a time this far ahead, to find its other issues. */
const sampleDelay = 60 * 60 * 1000

/**
 * Lets the service check the post once typing stops.
 * @param files Changes when a file has been processed, because its issues then change.
 */
export const useValidation = (body: NewPostJson, files: string) => {
  const text = JSON.stringify(body)
  const checked = `${text} ${files}`
  const [{ of, result }, setResult] = useState<{ readonly of?: string; readonly result?: ValidationJson }>({})
  const ask = async (signal: AbortSignal) => {
    const sample = new Date(serviceNow().getTime() + sampleDelay).toISOString()
    const outcome = await validatePost({ ...body, schedule_at: body.schedule_at ?? sample }, signal)
    if (signal.aborted) return
    if (outcome.ok) setResult({ of: checked, result: outcome.data.data })
    // The service measures nothing in a text that is far too long.
    else if (hasStatus(outcome.error, 400) && outcome.error._tag === "ApiError") {
      setResult({ of: checked, result: { valid: false, errors: outcome.error.errors, targets: [] } })
    }
  }
  useAfterTyping(delayMillis, ask, [text, files])
  /** `isCurrent` is false while the service has not checked what was typed last. */
  return { result, isCurrent: of === checked }
}

/** `place` is the part's index among the posts that the platform gets. */
export const measureOn = (
  result: ValidationJson | undefined,
  platform: LivePlatform,
  place: number
): Measure | undefined => {
  const target = result?.targets.find((one) => one.platform === platform)
  return target?.parts?.[place] ?? (place === 0 ? target : undefined)
}
