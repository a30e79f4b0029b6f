import { type JsonSchema, Predicate, Struct } from "effect"
import type { OpenApi } from "effect/http-api"
import { alternatives, onlyValue } from "./references.ts"
import { mapOperations, mapValues, type Rewrite, rewriteSchema, rewriteSchemas } from "./walk.ts"

const largestCount = 2_147_483_647

const isCountOrStatus = ({ type, enum: values, minimum }: JsonSchema.JsonSchema): boolean =>
  type === "integer"
    ? minimum === Number.MIN_SAFE_INTEGER
    : type === "number" && Array.isArray(values) && values.every(Number.isInteger)

/** Every whole number of an answer counts something: it is not negative, and fits the usual 32 bits. */
const asCount: Rewrite = (schema) => {
  if (!isCountOrStatus(schema)) return schema
  const { enum: values, ...rest } = schema
  const range = values === undefined ? { minimum: 0, maximum: largestCount } : { enum: values }
  return { ...rest, type: "integer", format: "int32", ...range }
}

const isAnyObject = (schema: unknown): boolean =>
  Predicate.isObject(schema) &&
  schema["type"] === "object" &&
  Predicate.isObject(schema["additionalProperties"]) &&
  Object.keys(schema["additionalProperties"]).length === 0

/** An object is open unless it says otherwise, so this says nothing. */
const withoutEmptyPart: Rewrite = (schema) => {
  const { allOf, ...rest } = schema
  return Array.isArray(allOf) && allOf.every(isAnyObject) ? rest : schema
}

/** The format says enough: the pattern tells no more than how that is checked. */
const withoutUuidPattern: Rewrite = (schema) =>
  schema["format"] === "uuid" ? Struct.omit(schema, ["pattern"]) : schema

const problemMembers = ["type", "title", "status", "detail", "code", "request_id"]

/** RFC 9457's members first. All members are always there, save `instance`, which never is. */
const asProblem: Rewrite = (schema) => {
  const { properties } = schema
  if (!Predicate.isObject(properties) || onlyValue(schema, "code") === undefined) return schema
  const own = Object.keys(properties).filter((member) => ![...problemMembers, "instance"].includes(member))
  const members = [...problemMembers, ...own]
  return {
    ...schema,
    properties: Object.fromEntries(members.map((member) => [member, properties[member]])),
    required: members
  }
}

const open: Rewrite = (schema) => {
  const { additionalProperties, ...rest } = schema
  return additionalProperties === false ? rest : schema
}

/** Bodies are closed, as an unknown member of one is an error; answers may gain members within a version of the API. */
const withOpenAnswers = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const bodies = new Set(
    Object.values(mapOperations(spec.paths, ({ requestBody }) => requestBody?.content ?? {}))
      .flatMap((item) => Object.values(item))
      .flatMap((content) => Object.values(content))
      .flatMap(({ schema }) => alternatives(schema))
  )
  const schemas = mapValues(spec.components.schemas, (schema, name) =>
    bodies.has(name) ? schema : rewriteSchema(schema, open)
  )
  return { ...spec, components: { ...spec.components, schemas } }
}

/** Says of each schema what it means and no more. */
export const withPlainShapes = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec =>
  withOpenAnswers(rewriteSchemas(spec, (schema) => asProblem(withoutEmptyPart(withoutUuidPattern(asCount(schema))))))
