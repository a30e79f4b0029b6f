import type { Fault } from "../../src/sandbox/state/faults.ts"
import type { Prng } from "./prng.ts"
import type { World } from "./world.ts"

/** Usually a few seconds; rarely longer than the attempts of a post may take. */
const drawResetDelay = (world: World): number =>
  world.prng.chance(0.05) ? world.prng.between(80_000, 90_000) : world.prng.between(1, 1200)

/** Usually some minutes; sometimes hours, which is longer than reconciliation continues. */
export const drawDelay = (prng: Prng) => prng.between(20_000, prng.chance(0.8) ? 900_000 : 6 * 3_600_000)

export const drawLag = ({ prng }: World) => drawDelay(prng)

const foreignStatuses = [400, 401, 403, 404, 413, 429] as const

const front = (status: number, when: "before_commit" | "after_commit" = "before_commit"): Fault => ({
  kind: "front",
  status,
  when
})

/**
 * Draws the fault of each request to a platform. `refusal` is the platform's response to a text that it rejects. An
 * overloaded platform may still accept posts.
 */
export const makePlatformFaults = (
  world: World,
  refusal: Fault,
  overload?: {
    /**
     * True if an overloaded platform may accept the post and show it later. False if it accepts duplicates, which would
     * publish a copy.
     */
    readonly mayBeTaken: boolean
  }
) => {
  const { answers, prng } = world
  /** Rejections are permanent: a platform either always or never rejects a text. */
  const rejections = new Map<string, boolean>()
  const rejects = (text: string): boolean => {
    const isRejected = rejections.get(text) ?? world.injects("rejection")
    rejections.set(text, isRejected)
    return isRejected
  }

  /** Undefined if the platform itself answers. */
  const drawAnswer = (text: string | null): Fault | undefined => {
    if (world.answersWith("foreign answer before commit")) return front(answers.pick(foreignStatuses))
    if (text === null || rejections.get(text) === true) return undefined
    if (world.answersWith("foreign answer after commit")) return front(answers.pick(foreignStatuses), "after_commit")
    return overload !== undefined && world.answersWith("overload that kept the post")
      ? { kind: "overload", ms: answers.between(40_000, 60_000) }
      : undefined
  }

  /** `text` is null if the request publishes nothing. */
  return (text: string | null): Fault | undefined => {
    const answer = drawAnswer(text)
    if (answer !== undefined) return answer
    if (world.injects("server error before commit")) return front(prng.pick([500, 502, 503]))
    if (world.injects("rate limit")) return { kind: "status", status: 429, reset_after: drawResetDelay(world) }
    if (overload !== undefined && text !== null && world.injects("overload")) {
      return overload.mayBeTaken && !rejects(text) && prng.chance(0.5)
        ? { kind: "overload", ms: drawLag(world) }
        : { kind: "status", status: 503 }
    }
    if (world.injects("intermediary refusal")) return front(prng.pick([403, 404]))
    if (text !== null && rejects(text)) return refusal
    return world.injects("server error after commit") ? front(prng.pick([500, 502, 504]), "after_commit") : undefined
  }
}
