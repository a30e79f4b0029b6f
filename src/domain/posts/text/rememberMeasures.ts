import type { PlatformRules, TextMeasure } from "../platformRules.ts"

/** Measuring a shorter text takes less than a millisecond. */
const minRemembered = 500

/** In UTF-16 code units: the texts of some of the largest posts. */
const maxRemembered = 500_000

/** Measures each long text once. So a text that was measured in steps costs nothing when its post is planned. */
export const rememberMeasures = (rules: PlatformRules): PlatformRules => {
  const known = new Map<string, TextMeasure>()
  let remembered = 0

  const forgetOldest = () => {
    for (const [text] of known) {
      if (remembered <= maxRemembered) return
      known.delete(text)
      remembered -= text.length
    }
  }

  const measure = (text: string): TextMeasure => {
    if (text.length < minRemembered) return rules.measure(text)
    const found = known.get(text)
    if (found !== undefined) return found
    const measured = rules.measure(text)
    known.set(text, measured)
    remembered += text.length
    forgetOldest()
    return measured
  }

  const isMeasured = (text: string): boolean => text.length < minRemembered || known.has(text)

  return { ...rules, measure, isMeasured }
}
