import { Predicate, Schema } from "effect"

// Effect carries an `examples` annotation into the document, but not OpenAPI's names of examples.
const key = "social-publisher/api/examples"

/** Encoded, by name. */
type Examples<Encoded> = Readonly<Record<string, Encoded>>

export const examplesAnnotation = <Encoded>(examples: Examples<Encoded>) => ({ [key]: examples })

export const examples = <S extends Schema.Top>(encoded: Examples<S["Encoded"]>) =>
  Schema.annotate<S>(examplesAnnotation(encoded))

export const readExamples = (body: Schema.Constraint): Examples<unknown> => {
  const found = Schema.resolveAnnotations(body)?.[key]
  return Predicate.isObject(found) ? found : {}
}
