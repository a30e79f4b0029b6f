import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import { facebook } from "../facts.ts"

const { text: limit } = facebook.limits

/** Meta does not document its unit. UTF-16 code units never count less than code points. */
export const measure = ({ length }: string): TextMeasure => ({ length, limit, valid: length <= limit })
