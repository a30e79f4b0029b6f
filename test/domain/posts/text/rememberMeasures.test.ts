import { assert, it } from "@effect/vitest"
import { rememberMeasures } from "../../../../src/domain/posts/text/rememberMeasures.ts"
import { rules } from "../../../support/plans.ts"

const counting = () => {
  let measured = 0
  const measure = (text: string) => {
    measured += 1
    return rules.twitter.measure(text)
  }
  let refused = 0
  const refuseText = (text: string) => {
    refused += 1
    return rules.twitter.refuseText?.(text)
  }
  const remembering = rememberMeasures({ ...rules.twitter, measure, refuseText })
  return { remembering, count: () => measured, countRefusals: () => refused }
}

it("A long text is measured and judged once, with the results of the platform's own rules", () => {
  const { count, countRefusals, remembering } = counting()
  for (const text of ["a ".repeat(400), "$A ".repeat(400), "a ".repeat(400)]) {
    assert.deepStrictEqual(remembering.measure(text), rules.twitter.measure(text))
    assert.strictEqual(remembering.refuseText?.(text), rules.twitter.refuseText?.(text))
  }
  assert.strictEqual(count(), 2)
  assert.strictEqual(countRefusals(), 2)
})

it("The oldest texts are forgotten, so that the remembered ones stay within their bound", () => {
  const { count, remembering } = counting()
  const textOf = (number: number) => `${number} `.repeat(2_000)
  for (let number = 0; number < 200; number++) remembering.measure(textOf(number))
  remembering.measure(textOf(199))
  assert.strictEqual(count(), 200)
  remembering.measure(textOf(0))
  assert.strictEqual(count(), 201)
})
