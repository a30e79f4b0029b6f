import type { ServerResponse } from "./network.ts"
import type { World } from "./world.ts"

/** Usually few seconds, and rarely more than the attempts of a post may take. */
const drawResetDelay = (world: World): number =>
  world.prng.chance(0.05) ? world.prng.between(80_000, 90_000) : world.prng.between(1, 1200)

export interface PlatformFaults {
  /** Executes a request, with faults before and after. `text` is null if the request publishes nothing. */
  readonly handle: (text: string | null, execute: () => ServerResponse) => ServerResponse
}

/** The response of an overloaded platform. */
export interface Overload {
  readonly response: ServerResponse
  /** True if the platform may have taken the post. */
  readonly mayBeTaken: boolean
  /** Takes the post and shows it after so many milliseconds. */
  readonly take: (execute: () => ServerResponse, shownAfter: number) => void
}

const foreignStatuses = [400, 401, 403, 404, 413, 429] as const

/** `refusal` is the platform's response to a text that it rejects. */
export const makePlatformFaults = (
  world: World,
  resetHeader: string,
  refusal: ServerResponse,
  overload?: Overload
): PlatformFaults => {
  /** Rejections are permanent: the platform rejects a text always or never. */
  const rejections = new Map<string, boolean>()
  const rejects = (text: string): boolean => {
    const isRejected = rejections.get(text) ?? world.injects("rejection")
    rejections.set(text, isRejected)
    return isRejected
  }

  /** Undefined for the platform's own answer. */
  const answer = (text: string | null, execute: () => ServerResponse): ServerResponse | undefined => {
    if (world.answersWith("foreign answer before commit")) return { status: world.answers.pick(foreignStatuses) }
    if (text === null || rejections.get(text) === true) return undefined
    if (world.answersWith("foreign answer after commit")) {
      execute()
      return { status: world.answers.pick(foreignStatuses) }
    }
    if (overload === undefined || !world.answersWith("overload that kept the post")) return undefined
    overload.take(execute, world.answers.between(40_000, 60_000))
    return overload.response
  }

  return {
    handle: (text, execute) => {
      const answered = answer(text, execute)
      if (answered !== undefined) return answered
      if (world.injects("server error before commit")) return { status: world.prng.pick([500, 502, 503]) }
      if (world.injects("rate limit")) {
        const reset = String(Math.ceil(world.now() / 1000) + drawResetDelay(world))
        return {
          status: 429,
          headers: { [resetHeader]: reset },
          body: { title: "Later", type: "about:blank", error: "RateLimitExceeded" }
        }
      }
      if (overload !== undefined && text !== null && world.injects("overload")) {
        if (overload.mayBeTaken && !rejects(text) && world.prng.chance(0.5)) execute()
        return overload.response
      }
      if (world.injects("intermediary refusal")) return { status: world.prng.pick([403, 404]) }
      if (text !== null && rejects(text)) return refusal
      const response = execute()
      return world.injects("server error after commit") ? { status: world.prng.pick([500, 502, 504]) } : response
    }
  }
}
