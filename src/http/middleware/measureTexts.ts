import { Effect, Option } from "effect"
import { livePlatforms } from "../../domain/plain/platforms.ts"
import { measureSteps, textsOf } from "../../domain/posts/postTexts.ts"
import { CurrentRequester, type Requester } from "../../domain/requester.ts"
import { runSteps } from "../../domain/steps.ts"
import { makeWorkspaceTurns } from "../../domain/workspaceTurns.ts"
import { CurrentRules } from "../../platforms/rules.ts"
import { decodePostTexts } from "../postIssues.ts"

/** Measuring the texts of the largest post can take a tenth of a second of the processor. */
const measuringTurns = { total: 1, perWorkspace: 1 }

/** The texts of a body with fewer bytes are measured in milliseconds. */
const minBytes = 4_000

/**
 * Measures a large post's texts in steps, and in turns of the workspaces, before a handler plans the post in one piece.
 * The rules remember the measures.
 */
export const makeMeasureTexts = Effect.sync(() => {
  const { inTurn } = makeWorkspaceTurns<Requester>(measuringTurns)
  return Effect.fnUntraced(function* (body: object, bytes: number) {
    const requester = yield* CurrentRequester
    if (bytes < minBytes || requester === undefined) return
    // A change may name no platforms.
    const texts = decodePostTexts({ content: "", platforms: livePlatforms, ...body })
    if (Option.isNone(texts)) return
    const rules = yield* CurrentRules
    yield* inTurn(requester)(Effect.suspend(() => runSteps(measureSteps(rules, textsOf(texts.value)))))
  })
})
