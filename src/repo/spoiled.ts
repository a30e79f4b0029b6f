import { Effect, Schema, SchemaTransformation } from "effect"

/** An unreadable member becomes `empty`, so that its row and list can be read. */
export const orEmpty = <S extends Schema.Constraint>(schema: S, empty: S["Type"]) =>
  Schema.catchDecoding(() => Effect.succeedSome(empty))(schema)

/** A record whose details don't match gets a type that no reader knows. */
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
