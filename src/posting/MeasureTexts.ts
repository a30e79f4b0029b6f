import { Context, Data, Effect, Layer, Result } from "effect"
import { measureSteps, needsSteps, type Texts } from "../domain/posts/postTexts.ts"
import { CurrentRequester, type Requester } from "../domain/requester.ts"
import { runSteps } from "../domain/steps.ts"
import { makeWorkspaceTurns } from "../domain/workspaceTurns.ts"
import { CurrentRules } from "../platforms/rules.ts"

/** Measuring the texts of the largest post can take a tenth of a second of the processor. */
const measuringTurns = { total: 1, perWorkspace: 1 }

export class MeasuresNeeded extends Data.TaggedError("MeasuresNeeded")<{ readonly texts: Texts }> {}

/** A plan measures all texts of a post in one piece. The rules remember the measures. */
export class MeasureTexts extends Context.Service<
  MeasureTexts,
  {
    /** Measures a large post's texts in steps, and in turns of the workspaces, before the post is planned. */
    readonly measure: (texts: Texts) => Effect.Effect<void>
    /** Fails if planning the post would hold up other work of the process. */
    readonly requireMeasures: (texts: Texts) => Result.Result<void, MeasuresNeeded>
  }
>()("social-publisher/posting/MeasureTexts") {
  static readonly layer = Layer.effect(
    MeasureTexts,
    Effect.gen(function* () {
      const rules = yield* CurrentRules
      const { inTurn } = makeWorkspaceTurns<Requester | undefined>(measuringTurns)
      return MeasureTexts.of({
        measure: (texts) =>
          Effect.flatMap(CurrentRequester, (requester) =>
            needsSteps(rules, texts)
              ? inTurn(requester)(Effect.suspend(() => runSteps(measureSteps(rules, texts))))
              : Effect.void
          ),
        requireMeasures: (texts) =>
          needsSteps(rules, texts) ? Result.fail(new MeasuresNeeded({ texts })) : Result.void
      })
    })
  )
}
