import { type JsonSchema, Predicate } from "effect"
import type { OpenApi } from "effect/http-api"

/** Changes one schema, without looking into it. */
export type Rewrite = (schema: JsonSchema.JsonSchema) => JsonSchema.JsonSchema

export const mapValues = <A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A, key: string) => B
): Record<string, B> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

const rewriteValue = (value: unknown, rewrite: Rewrite): unknown => {
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, rewrite))
  return Predicate.isObject(value) ? rewriteSchema(value, rewrite) : value
}

/** Rewrites a schema and what is inside it, the innermost first. */
export const rewriteSchema = (schema: object, rewrite: Rewrite): JsonSchema.JsonSchema =>
  rewrite(Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, rewriteValue(value, rewrite)])))

const methods = ["get", "post", "put", "patch", "delete"] as const

/** Does something to every operation. */
export const mapOperations = <A>(
  paths: OpenApi.OpenAPISpecPaths,
  change: (operation: OpenApi.OpenAPISpecOperation) => A
): Record<string, Record<string, A>> =>
  mapValues(paths, (item) =>
    Object.fromEntries(
      methods.flatMap((method) => (item[method] === undefined ? [] : [[method, change(item[method])] as const]))
    )
  )

const inContent = (content: OpenApi.OpenApiSpecContent, rewrite: Rewrite) =>
  mapValues(content, (media) => ({ ...media, schema: rewriteSchema(media.schema, rewrite) }))

const inOperation = (operation: OpenApi.OpenAPISpecOperation, rewrite: Rewrite): OpenApi.OpenAPISpecOperation => {
  const { parameters, responses, requestBody, ...rest } = operation
  return {
    ...rest,
    parameters: parameters.map((parameter) => ({ ...parameter, schema: rewriteSchema(parameter.schema, rewrite) })),
    ...(requestBody && { requestBody: { ...requestBody, content: inContent(requestBody.content, rewrite) } }),
    responses: mapValues(responses, ({ content, ...response }) => ({
      ...response,
      ...(content && { content: inContent(content, rewrite) })
    }))
  }
}

/** Rewrites every schema of a document, wherever it stands. */
export const rewriteSchemas = (spec: OpenApi.OpenAPISpec, rewrite: Rewrite): OpenApi.OpenAPISpec => ({
  ...spec,
  paths: mapOperations(spec.paths, (operation) => inOperation(operation, rewrite)),
  components: {
    ...spec.components,
    schemas: mapValues(spec.components.schemas, (schema) => rewriteSchema(schema, rewrite))
  }
})
