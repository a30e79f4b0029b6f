import type { PlatformAnswer } from "./network.ts"
import type { World } from "./world.ts"

/** When a rate limit ends: mostly soon, now and then not before the post's day is over. */
const resetAfter = (world: World): number =>
  world.dice.chance(0.05) ? world.dice.between(80_000, 90_000) : world.dice.between(1, 1200)

/** What makes a request go wrong at a platform. */
export interface PlatformFaults {
  /** Answers a request, or goes wrong before it is carried out or after. `text` is what it would publish, if anything. */
  readonly answer: (text: string | null, act: () => PlatformAnswer) => PlatformAnswer
}

/** The faults of one platform: `refusal` is what it answers to a text that it does not take. */
export const makePlatformFaults = (world: World, resetHeader: string, refusal: PlatformAnswer): PlatformFaults => {
  /** A platform refuses a text whenever it sees it, or never. */
  const refused = new Map<string, boolean>()
  const refuses = (text: string): boolean => {
    const known = refused.get(text)
    if (known !== undefined) return known
    const does = world.happens("rejection")
    refused.set(text, does)
    return does
  }

  return {
    answer: (text, act) => {
      if (world.happens("server error before")) return { status: world.dice.pick([500, 502, 503]) }
      if (world.happens("rate limit")) {
        const reset = String(Math.ceil(world.now() / 1000) + resetAfter(world))
        return { status: 429, headers: { [resetHeader]: reset }, body: { title: "Later", error: "RateLimitExceeded" } }
      }
      if (world.happens("stray refusal")) return { status: world.dice.pick([403, 404]) }
      if (text !== null && refuses(text)) return refusal
      const answer = act()
      return world.happens("server error after") ? { status: world.dice.pick([500, 502, 504]) } : answer
    }
  }
}
