import { Predicate, Schema } from "effect"
import type { McpSchema } from "effect/ai"

type Json = Readonly<Record<string, unknown>>

const isObjectSchema = (schema: Json): schema is McpSchema.ToolJson => schema["type"] === "object"

/** Names of types and examples say nothing that descriptions don't, and lists of tools are read by models each time. */
const wordless = new Set(["title", "examples"])

/** What holds for every integer or object says nothing either. */
const isObvious = (name: string, value: unknown): boolean =>
  (name === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (name === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
  (name === "format" && value === "int32") ||
  (name === "additionalProperties" &&
    (value === true || (Predicate.isObject(value) && Object.keys(value).length === 0)))

/** Whether a member of `allOf` only describes or bounds what it stands beside, or is a reference, which may stand there too. */
const isPlain = (schema: unknown): schema is Json =>
  Predicate.isObject(schema) && !["anyOf", "allOf", "properties", "items"].some((name) => name in schema)

const isList: (value: unknown) => value is ReadonlyArray<unknown> = Array.isArray

const isNull = (schema: unknown): boolean => Predicate.isObject(schema) && Reflect.get(schema, "type") === "null"

/** One of two alternatives of which the other is null, with null among its types. */
const orNull = (alternatives: unknown): Json | undefined => {
  if (!isList(alternatives) || alternatives.length !== 2 || !alternatives.some(isNull)) return undefined
  const other = alternatives.find((schema) => !isNull(schema))
  if (!Predicate.isObject(other)) return undefined
  const { enum: values, type, ...rest }: Json = { ...other }
  if (typeof type !== "string") return undefined
  return { type: [type, "null"], ...(isList(values) && { enum: [...values, null] }), ...rest }
}

/**
 * The schema in the fewest words that say the same, and without `allOf` for what can stand beside it: models and the converters of
 * clients read descriptions where they usually are. What is said of a member is more to the point than what is said of its type.
 */
const shorten = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shorten)
  if (!Predicate.isObject(value)) return value
  const { allOf, ...rest }: Json = { ...value }
  const parts = isList(allOf) ? allOf : []
  const others = parts.filter((part) => !isPlain(part))
  const said = [rest, ...parts.filter(isPlain)]
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

/** Schemas by names, which may be those of keywords. */
const shortenMembers = (schemas: unknown): Json =>
  Predicate.isObject(schemas)
    ? Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, shorten(schema)]))
    : {}

/** The JSON Schema of arguments or results, whose root clients require to be an object. */
export const jsonSchemaOf = (schema: Schema.Constraint, onExcessProperty: "error" | "ignore"): McpSchema.ToolJson => {
  const { definitions, schema: root } = Schema.toJsonSchemaDocument(schema, { onExcessProperty })
  const short = shorten(root)
  if (!Predicate.isObject(short) || !isObjectSchema({ ...short })) {
    throw new Error("The arguments and the result of a tool are objects")
  }
  const own = { ...short, type: "object" as const }
  return Object.keys(definitions).length === 0 ? own : { ...own, $defs: shortenMembers(definitions) }
}
