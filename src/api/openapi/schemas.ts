import { type JsonSchema, Predicate, Record, Struct } from "effect"
import type { Bodies } from "./bodies.ts"
import { alternatives, byName, onlyValue, reference, referredName, type Rewrite, rewriteDeep } from "./json.ts"

type Schemas = Readonly<Record<string, JsonSchema.JsonSchema>>

/** Effect names the encoded side of a class after the class, with this suffix. */
const withoutSuffix = (name: string): string => name.replace(/Encoded$/, "")

const renameReference: Rewrite = (schema) => {
  const name = referredName(schema)
  return name === undefined ? schema : { ...schema, ...reference(withoutSuffix(name)) }
}

/** Merges the members of `allOf`, in which Effect puts a field's own annotations; on conflict the last one wins. */
const mergeAllOf: Rewrite = (schema) => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf)) return schema
  const parts = [rest, ...allOf.filter(Predicate.isObject)]
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)))
}

/** `additionalProperties: {}` is the default. */
const omitDefault: Rewrite = (schema) => {
  const { additionalProperties, ...rest } = schema
  return Predicate.isObject(additionalProperties) && Object.keys(additionalProperties).length === 0 ? rest : schema
}

/** Effect's schema of a struct without fields accepts every value but null. The contract uses it only for objects. */
const typeEmptyObject: Rewrite = (schema) => {
  const { not, ...rest } = schema
  return Predicate.isObject(not) && not["type"] === "null" ? { type: "object", ...rest } : schema
}

/** Opens objects without listed members, because openapi-typescript treats them as always empty. */
const openEmptyObject: Rewrite = (schema) =>
  schema["type"] === "object" && schema["properties"] === undefined ? { additionalProperties: true, ...schema } : schema

/** Adds a description, which Effect leaves out for an uploaded file. */
const describeBytes: Rewrite = (schema) =>
  schema["format"] === "binary" ? { description: "The bytes of the file.", ...schema } : schema

const isStatus = ({ type, enum: values }: JsonSchema.JsonSchema): boolean =>
  type === "number" && Array.isArray(values) && values.every(Number.isInteger)

/** Integers without a range of their own are counts: not negative, and within 32 bits. */
const limitIntegers: Rewrite = (schema) => {
  if (isStatus(schema)) return { ...schema, type: "integer", format: "int32" }
  return schema["type"] === "integer" && schema["minimum"] === Number.MIN_SAFE_INTEGER
    ? { ...schema, format: "int32", minimum: 0, maximum: 2_147_483_647 }
    : schema
}

const describe = (schema: unknown, description: string) => ({
  ...(Predicate.isObject(schema) ? schema : {}),
  description
})

/** Documents the members that Effect declares. A problem always has all members, except for `instance`. */
const completeProblem: Rewrite = (schema) => {
  if (onlyValue(schema, "code") === undefined || !Predicate.isObject(schema["properties"])) return schema
  const { type, status, ...own } = Struct.omit(schema["properties"], ["instance", "title"])
  const properties = {
    type: describe(type, "A URI that identifies the problem; not meant to be opened."),
    // Any string, although Effect declares one value, so that a reworded title breaks no generated client.
    title: describe({ type: "string", examples: [onlyValue(schema, "title")] }, "A short summary of the problem."),
    status: describe(status, "The HTTP status code."),
    ...own
  }
  return { ...schema, properties, required: Object.keys(properties) }
}

interface Rewritten {
  readonly document: JsonSchema.JsonSchema
  readonly choices: Schemas
}

export const rewriteSchemas = (derived: object): Rewritten => {
  const choices: Record<string, JsonSchema.JsonSchema> = {}
  const nameChoice: Rewrite = (schema) => {
    const { title, allOf, ...choice } = schema
    if (!Predicate.isString(title) || choice["enum"] === undefined) return schema
    choices[title] = choice
    return { ...reference(title), ...(allOf !== undefined && { allOf }) }
  }
  const steps = [
    nameChoice,
    renameReference,
    mergeAllOf,
    omitDefault,
    typeEmptyObject,
    openEmptyObject,
    describeBytes,
    limitIntegers,
    completeProblem
  ]
  const document = rewriteDeep(derived, (object) => steps.reduce((schema, step) => step(schema), object))
  return { document, choices }
}

const openObject: Rewrite = (schema) => {
  const { additionalProperties, ...rest } = schema
  return additionalProperties === false ? rest : schema
}

/** The discriminator is the member whose value identifies the schema. */
export const discriminate = (schemas: Schemas, schema: JsonSchema.JsonSchema): JsonSchema.JsonSchema => {
  const { anyOf, ...rest } = schema
  const names = alternatives(schema)
  const propertyName = ["code", "type"].find((member) =>
    names.every((name) => onlyValue(schemas[name], member) !== undefined)
  )
  if (anyOf === undefined || names.length < 2 || propertyName === undefined) return schema
  const mapping = Object.fromEntries(
    names.map((name) => [String(onlyValue(schemas[name], propertyName)), reference(name).$ref] as const)
  )
  return { ...rest, oneOf: names.map(reference), discriminator: { propertyName, mapping } }
}

export const nameSchemas = (derived: Schemas, choices: Schemas, bodies: Bodies): Schemas => {
  const own = Object.entries(derived)
    .filter(([name, schema]) => referredName(schema) !== withoutSuffix(name))
    .map(([name, schema]) => [withoutSuffix(name), schema] as const)
  const schemas = Object.fromEntries([...own, ...Object.entries(choices)].toSorted(byName))
  return Record.map(schemas, (schema, name) => {
    const body = bodies.get(name)
    return {
      // Request bodies are closed, because unknown members are rejected. Responses may gain members within an API
      // version.
      ...discriminate(schemas, body?.isRequest === true ? schema : rewriteDeep(schema, openObject)),
      ...(body && { description: body.description }),
      ...(body && !Record.isEmptyReadonlyRecord(body.examples) && { examples: Object.values(body.examples) })
    }
  })
}
