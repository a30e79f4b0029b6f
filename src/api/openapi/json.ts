import { type JsonSchema, Predicate, Record } from "effect"

export const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : 1

/** Rewrites one object, whose inner objects are already rewritten. */
export type Rewrite = (object: JsonSchema.JsonSchema) => JsonSchema.JsonSchema

const rewriteValue = (value: unknown, rewrite: Rewrite): unknown => {
  if (Array.isArray(value)) return value.map((item) => rewriteValue(item, rewrite))
  return Predicate.isObject(value) ? rewriteDeep(value, rewrite) : value
}

/** Rewrites an object and all objects in it, innermost first, except examples. */
export const rewriteDeep = (object: object, rewrite: Rewrite): JsonSchema.JsonSchema =>
  rewrite(Record.map({ ...object }, (value, key) => (key === "examples" ? value : rewriteValue(value, rewrite))))

const schemas = "#/components/schemas/"

export const reference = (name: string) => ({ $ref: `${schemas}${name}` })

export const referredName = ({ $ref }: JsonSchema.JsonSchema): string | undefined =>
  Predicate.isString($ref) && $ref.startsWith(schemas) ? $ref.slice(schemas.length) : undefined

/** The name that a reference refers to, or all names in a union. */
export const alternatives = (schema: JsonSchema.JsonSchema): ReadonlyArray<string> => {
  const own = referredName(schema)
  if (own !== undefined) return [own]
  const members = schema["oneOf"] ?? schema["anyOf"]
  return Array.isArray(members) ? members.filter(Predicate.isObject).flatMap(alternatives) : []
}

/** A property's only allowed value, such as a discriminator. Undefined if it allows several. */
export const onlyValue = (object: JsonSchema.JsonSchema | undefined, member: string): unknown => {
  const properties = object?.["properties"]
  const schema = Predicate.isObject(properties) ? properties[member] : undefined
  const values = Predicate.isObject(schema) ? schema["enum"] : undefined
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined
}
