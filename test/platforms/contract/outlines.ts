import { Result } from "effect"
import { Unavailable } from "../../../src/domain/publishing/platformError.ts"
import type { Answer } from "../../../src/platforms/call.ts"
import { accessOf, type Conformance, now } from "./conformance.ts"
import type { SendStep } from "./walk.ts"

interface Outline {
  /** Equal for sends whose conversations have the same kinds of steps, whatever is answered. */
  readonly name: string
  /** The first of the answers that lead to the same kinds of steps after every request. */
  readonly answers: ReadonlyArray<Answer>
}

/** Outlines sends by the kinds of their steps, which are all that the code that carries out the steps goes by. */
export const makeOutlines = (platform: Conformance, answers: ReadonlyArray<Answer>) => {
  const [renewed = platform.credentials] = platform.renewed
  const [references = []] = platform.references
  const uploads = [Result.succeed(references), Result.fail(new Unavailable({ message: "Not uploaded" }))]
  const names = new Map<string, string>()
  const shorten = (text: string): string => {
    const name = names.get(text) ?? String(names.size)
    names.set(text, name)
    return name
  }

  return (first: SendStep): Outline => {
    const leadTo = answers.map((answer) => ({ answer, names: Array<string>() }))
    const name = (step: SendStep): string => {
      if (step._tag === "End") return Result.isSuccess(step.result) ? "Success" : step.result.failure._tag
      const own = [step._tag, step.mayBeOut === true]
      switch (step._tag) {
        case "Renew":
          return shorten([...own, name(step.next(accessOf(platform, renewed)))].join())
        case "Files":
          return shorten([...own, ...uploads.map((came) => name(step.next(came, accessOf(platform))))].join())
        case "Request": {
          const next = leadTo.map((each) => {
            const named = name(step.next(each.answer, now))
            each.names.push(named)
            return named
          })
          return shorten([...own, step.shows, step.through, ...next].join())
        }
      }
    }
    const ofFirst = name(first)
    const distinct = new Map(leadTo.toReversed().map((each) => [each.names.join(), each.answer]))
    return { name: ofFirst, answers: Array.from(distinct.values()).toReversed() }
  }
}
