import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import * as limits from "../limits.ts"

const encoder = new TextEncoder()

const limit = limits.text

/** The post's text is the video's description. */
export const measure = (text: string): TextMeasure => {
  const length = encoder.encode(text).byteLength
  return { length, limit, valid: length <= limit }
}

const hasBrackets = (text: string): boolean => /[<>]/.test(text)

export const refuseBrackets = (text: string, what: string): string | undefined =>
  hasBrackets(text) ? `accepts no < and > in ${what}; remove them` : undefined

export const refuseText = (text: string): string | undefined => refuseBrackets(text, "a description")
