import type { TextMeasure } from "../../../domain/posts/platformRules.ts"
import * as limits from "../limits.ts"

const { text: limit } = limits

/**
 * Counts the text as it was written, without the escapes that are sent. LinkedIn does not document its unit. UTF-16
 * code units never count less than the others.
 */
export const measure = ({ length }: string): TextMeasure => ({ length, limit, valid: length <= limit })
