import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { NotificationId, PostId } from "../domain/ids.ts"

const expected = "a cursor from an earlier answer"

/** A position in a list as clients see it: an opaque string. */
const cursorOf = <T, E>(position: Schema.Codec<T, E>) => {
  const Encoded = Schema.StringFromBase64Url.pipe(Schema.decodeTo(Schema.fromJsonString(position)))
  const decode = Schema.decodeEffect(Encoded)
  const encode = Schema.encodeEffect(Encoded)
  return Schema.String.pipe(
    Schema.decodeTo(
      Schema.toType(position),
      SchemaTransformation.transformEffect({
        decode: (cursor: string, options) =>
          Effect.mapError(decode(cursor), () => new SchemaIssue.InvalidValue({ expected }, cursor, options)),
        encode: (decoded: T) => Effect.mapError(encode(decoded), (error) => error.issue)
      })
    )
  )
}

/** Where the next page of a list of posts begins. The version lets what a cursor holds change. */
export const PostPosition = Schema.Struct({ v: Schema.tag(1), before: PostId })
export const PostCursor = cursorOf(PostPosition)

/** Where the next page of a list of notifications begins. */
export const NotificationPosition = Schema.Struct({ v: Schema.tag(1), before: NotificationId })
export const NotificationCursor = cursorOf(NotificationPosition)
