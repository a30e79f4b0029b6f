import { type JsonSchema, Predicate } from "effect"

const schemas = "#/components/schemas/"

/** A reference to the schema of this name. */
export const reference = (name: string) => ({ $ref: `${schemas}${name}` })

/** The name that a schema refers to, if it is a reference. */
export const referredName = ({ $ref }: JsonSchema.JsonSchema): string | undefined =>
  Predicate.isString($ref) && $ref.startsWith(schemas) ? $ref.slice(schemas.length) : undefined

/** The names that a schema can stand for: its own reference, or those of its alternatives. */
export const alternatives = (schema: JsonSchema.JsonSchema): ReadonlyArray<string> => {
  const own = referredName(schema)
  if (own !== undefined) return [own]
  const members = schema["oneOf"] ?? schema["anyOf"]
  return Array.isArray(members) ? members.filter(Predicate.isObject).flatMap(alternatives) : []
}

/** The one value that a member of an object may have, if there is just one. */
export const onlyValue = (object: JsonSchema.JsonSchema | undefined, member: string): unknown => {
  const properties = object?.["properties"]
  const schema = Predicate.isObject(properties) ? properties[member] : undefined
  const values = Predicate.isObject(schema) ? schema["enum"] : undefined
  return Array.isArray(values) && values.length === 1 ? values[0] : undefined
}
