import { Predicate, Schema } from "effect"

// A separate annotation, because Effect copies its own `examples` into the OpenAPI document without their names.
const key = "social-publisher/api/examples"

type Examples<Encoded> = Readonly<Record<string, Encoded>>

export const examplesAnnotation = <Encoded>(examples: Examples<Encoded>) => ({ [key]: examples })

export const examples = <S extends Schema.Top>(encoded: Examples<S["Encoded"]>) =>
  Schema.annotate<S>(examplesAnnotation(encoded))

export const readExamples = (body: Schema.Constraint): Examples<unknown> => {
  const found = Schema.resolveAnnotations(body)?.[key]
  return Predicate.isObject(found) ? found : {}
}
