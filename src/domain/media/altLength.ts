import type { LiveFacts } from "../../platforms/Platform.ts"
import { countGraphemes } from "../posts/text/textLength.ts"

export type AltUnit = LiveFacts["altUnit"]

/** An emoji of a family is one grapheme, seven code points and eleven UTF-16 code units. */
export const measureAlt = (unit: AltUnit, text: string): number =>
  unit === "graphemes" ? countGraphemes(text) : Array.from(text).length
