import { Context, Effect } from "effect"
import type { Answer, Call } from "./call.ts"

/** What came of the first call of an effect, where that was made before the effect runs; undefined once it was read. */
export const FirstAnswer = Context.Reference<{ answer: Answer | undefined }>("social-publisher/platforms/FirstAnswer", {
  defaultValue: () => ({ answer: undefined })
})

/** Makes a call that returns the `FirstAnswer` instead of sending, where there is one. */
export const answerable =
  (call: Call): Call =>
  (request) =>
    Effect.flatMap(FirstAnswer, (first) => {
      const { answer } = first
      if (answer === undefined) return call(request)
      first.answer = undefined
      return Effect.fromResult(answer)
    })
