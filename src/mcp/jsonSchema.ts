import { Predicate, Schema } from "effect"
import type { McpSchema } from "effect/ai"

type Json = Readonly<Record<string, unknown>>

const isObjectSchema = (schema: Json): schema is McpSchema.ToolJson => schema["type"] === "object"

/** What every integer has says nothing. */
const isSafeBound = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) || (name === "maximum" && value === Number.MAX_SAFE_INTEGER)

/** Whether a member of `allOf` only describes or bounds what it stands beside. */
const isPlain = (schema: unknown): schema is Json =>
  Predicate.isObject(schema) && !["$ref", "anyOf", "allOf", "properties", "items"].some((name) => name in schema)

/**
 * The schema without `allOf` for what can stand beside it: models and the converters of clients read descriptions where they
 * usually are. What is said of a member is more to the point than what is said of its type.
 */
const flatten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(flatten)
  if (!Predicate.isObject(value)) return value
  const { allOf, ...rest }: Json = { ...value }
  const parts: ReadonlyArray<unknown> = Array.isArray(allOf) ? allOf : []
  const others = parts.filter((part) => !isPlain(part))
  const own = Object.entries(rest).filter(([name, member]) => !isSafeBound(name, member))
  return {
    ...Object.fromEntries(own.map(([name, member]) => [name, flatten(member)])),
    ...Object.assign({}, ...parts.filter(isPlain)),
    ...(others.length > 0 && { allOf: others.map(flatten) })
  }
}

const flattenMembers = (schemas: Json): Json =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, flatten(schema)]))

/** The JSON Schema of arguments or results, whose root clients require to be an object. */
export const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): McpSchema.ToolJson => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const flat = flattenMembers(root)
  if (!isObjectSchema(flat)) throw new Error("The arguments and the result of a tool are objects")
  return Object.keys(definitions).length === 0 ? flat : { ...flat, $defs: flattenMembers({ ...definitions }) }
}
