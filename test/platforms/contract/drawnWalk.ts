import { assert } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { DatabaseUnavailable } from "../../../src/domain/errors.ts"
import { Unavailable, UploadsGone } from "../../../src/domain/publishing/platformError.ts"
import type { Answer } from "../../../src/platforms/call.ts"
import type { Prepared } from "../../../src/platforms/PlatformClient.ts"
import { accessOf, adapterOf, type Conformance, now } from "./conformance.ts"
import { type Draw, drawTime, likenessesOf, strangersOf } from "./drawn.ts"
import { afterAnswer, beginning, type Conversation, makeJudge } from "./judge.ts"
import { mostSteps, type SendStep } from "./walk.ts"

/** A step as text, without its functions. */
const written = (step: SendStep): string => JSON.stringify(step)

/** Requests a step twice, and checks that both results are the same. */
const pure = (ask: () => SendStep): SendStep => {
  const step = ask()
  assert.strictEqual(written(ask()), written(step), "A step is not pure")
  return step
}

const failures = [
  new Unavailable({ message: "Not now" }),
  new UploadsGone({ message: "Gone" }),
  new DatabaseUnavailable({ operation: "a test", cause: "unavailable" })
]

/** Follows one conversation with drawn responses to its end. Checks each step and each request. */
const follow = (
  platform: Conformance,
  kind: string,
  first: SendStep,
  draw: Draw,
  answerOf: (draw: Draw) => Answer
): { readonly conversation: Conversation; readonly step: SendStep & { readonly _tag: "End" } } => {
  let step = first
  let conversation = beginning(kind)
  for (let count = 0; count < mostSteps; count++) {
    const waiting = step
    switch (waiting._tag) {
      case "End":
        return { conversation, step: waiting }
      case "Renew": {
        const access = accessOf(platform, draw.of([...platform.renewed, Redacted.make("{}"), Redacted.make("")]))
        step = pure(() => waiting.next(access))
        break
      }
      case "Files": {
        const came = draw.below(3) === 0 ? Result.fail(draw.of(failures)) : Result.succeed(draw.of(platform.references))
        step = pure(() => waiting.next(came, accessOf(platform)))
        break
      }
      case "Request": {
        const { request, shows } = waiting
        assert.isNotNull(URL.parse(request.url))
        assert.strictEqual(shows === "post", platform.isPost(request), "A request does not say what it shows")
        const answer = answerOf(draw)
        const at = drawTime(draw)
        conversation = afterAnswer(conversation, request, answer, shows)
        step = pure(() => waiting.next(answer, at))
      }
    }
  }
  return assert.fail("A conversation does not end")
}

/**
 * Checks that any responses, in any order, lead to an end without an exception, and that `send` does not change its
 * arguments.
 */
export const answerAnything = (
  platform: Conformance,
  others: ReadonlyArray<Conformance>,
  kind: string,
  prepared: Prepared
) => {
  const before = JSON.stringify(prepared)
  const [stranger, likeness, { all }] = [strangersOf(platform, others), likenessesOf(platform), makeJudge(platform)]
  const { send } = adapterOf(platform)
  return (draw: Draw) => {
    const at = drawTime(draw)
    const first = pure(() => send(prepared, accessOf(platform), at))
    follow(platform, kind, first, draw, () => draw.of([stranger, likeness, () => draw.of(all)])(draw))
    assert.strictEqual(JSON.stringify(prepared), before)
  }
}

/**
 * Checks that the platform's responses and those of strangers, in any order, lead to an end that the platform's
 * responses prove.
 */
export const answerAsStrangers = (
  platform: Conformance,
  others: ReadonlyArray<Conformance>,
  kind: string,
  prepared: Prepared
) => {
  const judge = makeJudge(platform)
  const stranger = strangersOf(platform, others)
  const { send } = adapterOf(platform)
  return (draw: Draw) => {
    const first = send(prepared, accessOf(platform), now)
    const { conversation, step } = follow(platform, kind, first, draw, () =>
      draw.below(2) === 0 ? stranger(draw) : draw.of(judge.all)
    )
    judge.checkEnd(conversation, step.result)
    return step.result
  }
}
