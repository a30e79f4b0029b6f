import type { OpenApi } from "effect/http-api"
import { withAnswers } from "./answers.ts"
import { withNames } from "./names.ts"
import { withPlainShapes } from "./shapes.ts"
import { mapValues } from "./walk.ts"
import { withWords } from "./words.ts"

const isSpec = (spec: object): spec is OpenApi.OpenAPISpec =>
  "openapi" in spec && "paths" in spec && "components" in spec

const inOrder = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const schemas = Object.entries(spec.components.schemas).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return { ...spec, components: { ...spec.components, schemas: Object.fromEntries(schemas) } }
}

/** Tools know the scheme by its registered name, in small letters; every operation says for itself what it needs. */
const withSecurity = ({ security: _none, ...spec }: OpenApi.OpenAPISpec) => {
  const securitySchemes = mapValues(spec.components.securitySchemes, (scheme) =>
    scheme.type === "http" ? { ...scheme, scheme: scheme.scheme.toLowerCase() } : scheme
  )
  return { ...spec, components: { ...spec.components, securitySchemes } }
}

/**
 * Makes the reference of what Effect derives from the contract: the contract says what is exchanged, this what it means.
 * Effect hands the document over untyped.
 */
export const describeDocument = (derived: Record<string, unknown>): Record<string, unknown> =>
  isSpec(derived) ? withAnswers(withSecurity(inOrder(withWords(withPlainShapes(withNames(derived)))))) : derived
