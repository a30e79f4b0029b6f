import { Effect, Schema, SchemaTransformation } from "effect"

/** A member of a row that is shown as `empty` where it can't be read, so that the row and its list can be. */
export const orEmpty = <S extends Schema.Constraint>(schema: S, empty: S["Type"]) =>
  Schema.catchDecoding(() => Effect.succeedSome(empty))(schema)

/** The type of a stored record whose details are not as the type has them: it becomes one that no reader knows. */
export const UnreadableType = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transform({ decode: (type) => `${type}.unreadable`, encode: (type) => type })
  )
)

/** The details of such a record: none. */
export const NoDetails = Schema.Unknown.pipe(
  Schema.decodeTo(
    Schema.Record(Schema.String, Schema.Json),
    SchemaTransformation.transform({
      decode: (): Readonly<Record<string, Schema.Json>> => ({}),
      encode: (none): unknown => none
    })
  )
)
