import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { maxTextLength } from "../../../domain/plain/limits.ts"
import * as limits from "../limits.ts"

/** No text of a post is longer than this service takes. */
const limit = Math.min(limits.text, maxTextLength)

/** Meta does not document its unit. UTF-16 code units never count less than code points. */
export const measure = ({ length }: string): TextMeasure => ({ length, limit, valid: length <= limit })
