import { Effect, Option } from "effect"
import { livePlatforms } from "../../domain/plain/platforms.ts"
import { textsOf } from "../../domain/posts/postTexts.ts"
import { MeasureTexts } from "../../posting/MeasureTexts.ts"
import { decodePostTexts } from "../postIssues.ts"

/** The texts of a body with fewer bytes are measured in milliseconds. */
const minBytes = 4_000

/** Measures the texts of a large body before it is checked, because the issues of an invalid one name lengths too. */
export const makeMeasureTexts = Effect.map(MeasureTexts, ({ measure }) => (body: object, bytes: number) => {
  if (bytes < minBytes) return Effect.void
  // A change may name no platforms.
  const texts = decodePostTexts({ content: "", platforms: livePlatforms, ...body })
  return Option.isNone(texts) ? Effect.void : measure(textsOf(texts.value))
})
