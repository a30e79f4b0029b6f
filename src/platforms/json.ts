import { Option, Schema } from "effect"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/**
 * Reads JSON that fits a schema; none if it does not, or is no JSON. What `Schema.fromJsonString` decodes, without its effects for each
 * text: every post needs several of these.
 */
export const jsonReader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (text: string): Option.Option<S["Type"]> => Option.flatMap(parse(text), (json) => decode(json))
}
