import { assert, it } from "@effect/vitest"
import { rememberMeasures } from "../../../../src/domain/posts/text/rememberMeasures.ts"
import { rules } from "../../../support/plans.ts"

const counting = () => {
  let measured = 0
  const measure = (text: string) => {
    measured += 1
    return rules.twitter.measure(text)
  }
  return { remembering: rememberMeasures({ ...rules.twitter, measure }), count: () => measured }
}

it("A long text is measured once, with the result of the platform's own rule", () => {
  const { count, remembering } = counting()
  for (const text of ["a ".repeat(400), "b ".repeat(400), "a ".repeat(400)]) {
    assert.deepStrictEqual(remembering.measure(text), rules.twitter.measure(text))
  }
  assert.strictEqual(count(), 2)
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
