import { isBlank } from "../../plain/blankText.ts"
import type { PlatformRules, TextMeasure } from "../platformRules.ts"

/** `reason` completes a sentence that begins with the platform's name. */
type Refusal = { readonly code: "text_blank" } | { readonly code: "text_refused"; readonly reason: string }

/** Undefined unless the platform refuses the text regardless of its length. With media a text may be blank. */
export const explainRefusal = (
  { refuseText }: Pick<PlatformRules, "refuseText">,
  text: string,
  hasMedia = false
): Refusal | undefined => {
  if (isBlank(text) && !hasMedia) return { code: "text_blank" }
  const reason = refuseText?.(text)
  return reason === undefined ? undefined : { code: "text_refused", reason }
}

/** All reasons in one sentence that begins with the platform's name. */
export const joinReasons = (...reasons: ReadonlyArray<string | undefined>): string | undefined => {
  const known = reasons.filter((reason) => reason !== undefined)
  return known.length === 0 ? undefined : known.join("; it ")
}

/** A blank text is invalid, except with media. */
export const measureText = (
  { measure }: Pick<PlatformRules, "measure">,
  text: string,
  hasMedia = false
): TextMeasure => {
  const measured = measure(text)
  return isBlank(text) && !hasMedia ? { ...measured, valid: false } : measured
}
