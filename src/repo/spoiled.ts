import { Effect, Schema, SchemaTransformation } from "effect"

/** A member that decodes to `empty` if it can't be read, so that its row and list can be. */
export const orEmpty = <S extends Schema.Constraint>(schema: S, empty: S["Type"]) =>
  Schema.catchDecoding(() => Effect.succeedSome(empty))(schema)

/** The type of a stored record whose details don't match: it becomes a type that no reader knows. */
export const UnreadableType = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (type) => `${type}.unreadable`, encode: (type) => type })
  )
)

export const NoDetails = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.Record(Schema.String, Schema.Json),
    SchemaTransformation.transform({
      decode: (): Readonly<Record<string, Schema.Json>> => ({}),
      encode: (none): unknown => none
    })
  )
)
