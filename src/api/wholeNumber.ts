import { Schema, SchemaTransformation } from "effect"
import type { OpenApi } from "effect/http-api"

interface Range {
  readonly minimum: number
  readonly maximum: number
}

/** A whole number in a query string, written in plain digits: no sign, space, exponent or leading zero. */
export const wholeNumber = ({ minimum, maximum }: Range) => {
  const expected = `a whole number from ${minimum} to ${maximum}`
  return Schema.String.check(Schema.isPattern(/^(0|[1-9][0-9]{0,14})$/, { expected })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected })),
      SchemaTransformation.numberFromString
    )
  )
}

/** How the reference shows such a parameter: as the number that it is, not as the text that it travels as. */
export const wholeNumberParameter = (
  name: string,
  description: string,
  schema: Range & { readonly default: number }
): OpenApi.OpenAPISpecParameter => ({
  name,
  in: "query",
  description,
  schema: { type: "integer", format: "int32", ...schema },
  required: false
})
