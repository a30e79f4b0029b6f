import { useState } from "preact/hooks"
import type { LivePlatform } from "../../../domain/platform.ts"
import { serviceNow } from "../../api/clock.ts"
import { type NewPostJson, validatePost, type ValidationJson } from "../../api/postActions.ts"
import { useAfterTyping } from "./useAfterTyping.ts"

type Target = ValidationJson["targets"][number]
type Measure = Pick<Target, "length" | "limit">

/** How long typing has to stop before the service is asked, in milliseconds. */
const delayMillis = 300

/** How far ahead the time is that a post without one gets, for asking what else is wrong. In milliseconds. */
const sampleDelay = 60 * 60 * 1000

/**
 * What the service says of a post that is being written, as soon as typing stops.
 *
 * @param files Changes when a file has been processed: what is said of it changes then.
 */
export const useValidation = (body: NewPostJson, files: string): ValidationJson | undefined => {
  const [result, setResult] = useState<ValidationJson>()
  const text = JSON.stringify(body)
  const ask = async (signal: AbortSignal) => {
    const sample = new Date(serviceNow().getTime() + sampleDelay).toISOString()
    const outcome = await validatePost({ ...body, schedule_at: body.schedule_at ?? sample }, signal)
    if (outcome.ok && !signal.aborted) setResult(outcome.data.data)
  }
  useAfterTyping(delayMillis, ask, [text, files])
  return result
}

/** The length of a part on a platform, by its place among those that the platform gets, from 0. */
export const measureOn = (
  result: ValidationJson | undefined,
  platform: LivePlatform,
  place: number
): Measure | undefined => {
  const target = result?.targets.find((one) => one.platform === platform)
  return target?.parts?.[place] ?? (place === 0 ? target : undefined)
}
