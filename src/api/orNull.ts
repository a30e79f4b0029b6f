import { Option, Predicate, Schema, SchemaGetter, Struct } from "effect"

type OrNull<S extends Schema.Constraint> = Schema.decodeTo<
  Schema.optionalKey<Schema.toType<S>>,
  Schema.optionalKey<Schema.NullOr<S>>
>

interface OrNullLambda extends Struct.Lambda {
  <S extends Schema.Constraint>(member: Schema.optionalKey<S>): OrNull<S>
  readonly "~lambda.out": this["~lambda.in"] extends Schema.optionalKey<infer S extends Schema.Constraint>
    ? OrNull<S>
    : never
}

/** Makes an optional field of a request body also accept null, which then counts as absent. */
export const orNull = Struct.lambda<OrNullLambda>((member) => {
  const description = Schema.resolveAnnotationsKey(member)?.description
  // The OpenAPI document contains only descriptions of the encoded side, so this one is put there.
  const encoded = Schema.optionalKey(Schema.NullOr(member.schema)).annotateKey(
    description === undefined ? {} : { description }
  )
  return encoded.pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(member.schema)), {
      decode: SchemaGetter.transformOptional(Option.filter(Predicate.isNotNull)),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )
})

export const optional = <S extends Schema.Constraint>(schema: S, description: string) =>
  orNull(Schema.optionalKey(schema).annotateKey({ description }))
