import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { findEntities } from "../../../domain/posts/text/entities.ts"
import * as limits from "../limits.ts"

/** TikTok counts UTF-16 code units. */
export const measure = ({ length }: string): TextMeasure => ({
  length,
  limit: limits.text,
  valid: length <= limits.text
})

export const explainUnlinked = (text: string): ReadonlyArray<string> =>
  findEntities(text).some(({ feature }) => feature._tag === "Link")
    ? ["makes no links in captions; people can only read the address"]
    : []
