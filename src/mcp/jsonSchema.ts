import { Predicate, Schema } from "effect"
import type { McpSchema } from "effect/ai"

type Json = Readonly<Record<string, unknown>>

const isObjectSchema = (schema: Json): schema is McpSchema.ToolJson => schema["type"] === "object"

/** Keywords that add nothing to descriptions. Models read the list of tools each time. */
const wordless = new Set(["title", "examples"])

/** True if the keyword is true of every integer or object, and so says nothing. */
const isObvious = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (name === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (name === "format" && value === "int32") ||
  (name === "additionalProperties" &&
    (value === true || (Predicate.isObject(value) && Object.keys(value).length === 0)))

/** True if a schema in `allOf` only describes or limits its value, or is a reference. It can then be merged. */
const isSimpleSchema = (schema: unknown): schema is Json =>
  Predicate.isObject(schema) && !["anyOf", "allOf", "properties", "items"].some((name) => name in schema)

const isList: (value: unknown) => value is ReadonlyArray<unknown> = Array.isArray

const isNull = (schema: unknown): boolean => Predicate.isObject(schema) && Reflect.get(schema, "type") === "null"

const orNull = (alternatives: unknown): Json | undefined => {
  if (!isList(alternatives) || alternatives.length !== 2 || !alternatives.some(isNull)) return undefined
  const other = alternatives.find((schema) => !isNull(schema))
  if (!Predicate.isObject(other)) return undefined
  const { enum: values, type, ...rest }: Json = { ...other }
  if (typeof type !== "string") return undefined
  return { type: [type, "null"], ...(isList(values) && { enum: [...values, null] }), ...rest }
}

/**
 * Shortens a schema. Merges the schemas of `allOf` if possible, because models and clients expect descriptions outside
 * of it. A property's description replaces that of its type.
 */
const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shorten)
  if (!Predicate.isObject(value)) return value
  const { allOf, ...rest }: Json = { ...value }
  const parts = isList(allOf) ? allOf : []
  const others = parts.filter((part) => !isSimpleSchema(part))
  const said = [rest, ...parts.filter(isSimpleSchema)]
    .flatMap((part) => Object.entries(part))
    .filter(([name, member]) => !wordless.has(name) && !isObvious(name, member))
    .map(([name, member]) => [name, name === "properties" ? shortenMembers(member) : shorten(member)] as const)
  const { anyOf, ...own }: Json = Object.fromEntries(said)
  return {
    ...(orNull(anyOf) ?? (anyOf === undefined ? {} : { anyOf })),
    ...own,
    ...(others.length > 0 && { allOf: others.map(shorten) })
  }
}

/** Shortens the schemas of properties, whose names may be the same as keywords. */
const shortenMembers = (schemas: unknown): Json =>
  Predicate.isObject(schemas)
    ? Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shorten(schema)]))
    : {}

export const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): McpSchema.ToolJson => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const short = shorten(root)
  if (!Predicate.isObject(short) || !isObjectSchema({ ...short })) {
    throw new Error("The arguments and the result of a tool are objects")
  }
  const own = { ...short, type: "object" as const }
  return Object.keys(definitions).length === 0 ? own : { ...own, $defs: shortenMembers(definitions) }
}
