import type { PlatformRules, TextMeasure } from "../platformRules.ts"

/** Measuring a shorter text takes less than a millisecond. */
const minRemembered = 500

/** In UTF-16 code units: the texts of some of the largest posts. */
const maxRemembered = 500_000

const isShort = ({ length }: string): boolean => length < minRemembered

interface Known {
  readonly measured: TextMeasure
  readonly refusal: string | undefined
}

/**
 * Measures each long text once, and finds out once whether it is refused. So a text that was measured in steps costs
 * nothing when its post is planned.
 */
export const rememberMeasures = (rules: PlatformRules): PlatformRules => {
  const known = new Map<string, Known>()
  let remembered = 0

  const forgetOldest = () => {
    for (const [text] of known) {
      if (remembered <= maxRemembered) return
      known.delete(text)
      remembered -= text.length
    }
  }

  const know = (text: string): Known => {
    const found = known.get(text)
    if (found !== undefined) return found
    const learned = { measured: rules.measure(text), refusal: rules.refuseText?.(text) }
    known.set(text, learned)
    remembered += text.length
    forgetOldest()
    return learned
  }

  return {
    ...rules,
    measure: (text) => (isShort(text) ? rules.measure(text) : know(text).measured),
    refuseText: (text) => (isShort(text) ? rules.refuseText?.(text) : know(text).refusal),
    isMeasured: (text) => isShort(text) || known.has(text)
  }
}
