import { Predicate, Schema } from "effect"

// Effect carries an `examples` annotation into the document, but not the names under which OpenAPI lists examples.
const key = "social-publisher/api/examples"

/** Encoded examples of a body, by name. */
type Examples<Encoded> = Readonly<Record<string, Encoded>>

/** The annotation with which a body carries its examples to the OpenAPI document. */
export const examplesAnnotation = <Encoded>(examples: Examples<Encoded>) => ({ [key]: examples })

/** Annotates a request or response body with its examples. */
export const examples = <S extends Schema.Top>(encoded: Examples<S["Encoded"]>) =>
  Schema.annotate<S>(examplesAnnotation(encoded))

/** The examples of a body, none without the annotation. */
export const readExamples = (body: Schema.Constraint): Examples<unknown> => {
  const found = Schema.resolveAnnotations(body)?.[key]
  return Predicate.isObject(found) ? found : {}
}
