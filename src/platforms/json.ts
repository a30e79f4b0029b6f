import { Option, Schema } from "effect"

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/** Decodes like `Schema.fromJsonString`, but without an effect per text: every post needs several. */
export const jsonReader = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownOption(schema)
  return (text: string): Option.Option<S["Type"]> => Option.flatMap(parse(text), (json) => decode(json))
}
