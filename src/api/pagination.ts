import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { EventId, MediaId, NotificationDeliveryId, NotificationId, PostId } from "../domain/ids.ts"
import { Instant } from "../domain/instant.ts"

interface WholeNumber {
  readonly description: string
  readonly minimum: number
  readonly maximum: number
  /** Shown in the OpenAPI document. The handler, not the schema, applies it. */
  readonly default?: number
}

/** A number in a URL, in plain digits: without a sign, space, exponent or leading zero. */
export const wholeNumber = ({ description, ...range }: WholeNumber) => {
  const { minimum, maximum } = range
  const expected = `a whole number from ${minimum} to ${maximum}`
  const toJsonSchema = () => ({ type: "integer", format: "int32", ...range }) as const
  return Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^(0|[1-9][0-9]{0,14})$/, { expected, description, toJsonSchema })).pipe(
      Schema.decodeTo(
        Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected })),
        SchemaTransformation.numberFromString
      )
    )
  )
}

export const limitParameter = (items: string, maximum: number, byDefault?: number) =>
  byDefault === undefined
    ? wholeNumber({
        description: `The maximum number of ${items} to return; all of them by default.`,
        minimum: 1,
        maximum
      })
    : wholeNumber({
        description: `The maximum number of ${items} to return.`,
        minimum: 1,
        maximum,
        default: byDefault
      })

const expected = "a cursor from an earlier response"

const cursorFor = <T, E>(position: Schema.Codec<T, E>) => {
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

// `v` is the version of a cursor's format. Clients may still hold cursors in an earlier format.

/** The parameters of the list that a cursor continues, without those at their defaults. */
const ListName = Schema.Record(Schema.String, Schema.String)
export type ListName = typeof ListName.Type

/** A position in a list of posts, newest first. Earlier versions of the service neither write nor read `of`. */
export const PostPosition = Schema.Struct({ v: Schema.tag(1), before: PostId, of: Schema.optionalKey(ListName) })

/** A position in a list of posts in another order. Contains the post's time if the list is sorted by time. */
export const PostPositionInOrder = Schema.Struct({
  v: Schema.tag(2),
  after: PostId,
  scheduled_at: Schema.NullOr(Instant),
  of: ListName
})

const AnyPostPosition = Schema.Union([PostPosition, PostPositionInOrder])
export type AnyPostPosition = typeof AnyPostPosition.Type
export const PostCursor = cursorFor(AnyPostPosition)

export const NotificationPosition = Schema.Struct({ v: Schema.tag(1), before: NotificationId })
export const NotificationCursor = cursorFor(NotificationPosition)

export const MediaPosition = Schema.Struct({ v: Schema.tag(1), before: MediaId })
export const MediaCursor = cursorFor(MediaPosition)

/** An event's place in the order in which events became readable. */
export const position = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })).annotate({
  format: "int64"
})

/** Cursors of an earlier version of the service have no `id`. */
export const EventPosition = Schema.Struct({ v: Schema.tag(1), before: position, id: Schema.optionalKey(EventId) })
export const EventCursor = cursorFor(EventPosition)

export const MailPosition = Schema.Struct({ v: Schema.tag(1), before: NotificationDeliveryId })
export const MailCursor = cursorFor(MailPosition)

export const HistoryPosition = Schema.Struct({ v: Schema.tag(1), before: EventId })
export const HistoryCursor = cursorFor(HistoryPosition)

export const sampleCursor = "eyJ2IjoxLCJiZWZvcmUiOiIwMTk4MWNjYi02YzMxLTdkMmMtOWY0Ny01YjhlZDBhN2MxZjQifQ"

export const cursorParameter = <S extends Schema.Top & { readonly Encoded: string }>(
  cursor: S,
  description = "The `next_cursor` of the previous page."
) =>
  Schema.optionalKey(
    cursor.pipe(
      Schema.annotateEncoded({
        description,
        // An example that precedes every id: if the reference page sends it unchanged, the response is the first page.
        examples: ["eyJ2IjoxLCJiZWZvcmUiOiJmZmZmZmZmZi1mZmZmLWZmZmYtZmZmZi1mZmZmZmZmZmZmZmYifQ"]
      })
    )
  )
