import { type JsonSchema, Predicate } from "effect"
import type { OpenApi } from "effect/http-api"
import type { Dictionary, Entry } from "./dictionary.ts"
import { posts } from "./posts.ts"
import { problemEntry } from "./problems.ts"
import { sessions } from "./sessions.ts"
import { values } from "./values.ts"
import { mapValues } from "./walk.ts"
import { workspace } from "./workspace.ts"

const dictionary: Dictionary = { ...values, ...posts, ...workspace, ...sessions }

const entryOf = (name: string, schema: JsonSchema.JsonSchema): Entry | undefined =>
  dictionary[name] ?? problemEntry(name, schema)

const child = (schema: JsonSchema.JsonSchema, key: string): JsonSchema.JsonSchema | undefined => {
  const inside = schema[key]
  return Predicate.isObject(inside) ? inside : undefined
}

/** Puts a text to a member of a schema, or of its items; nothing where there is no such member. */
const describe = (schema: JsonSchema.JsonSchema, path: ReadonlyArray<string>, text: string): JsonSchema.JsonSchema => {
  const [member, ...rest] = path
  if (member === undefined) return { ...schema, description: text }
  const items = child(schema, "items")
  if (items !== undefined) return { ...schema, items: describe(items, path, text) }
  const properties = child(schema, "properties")
  const inner = properties && child(properties, member)
  return inner === undefined
    ? schema
    : { ...schema, properties: { ...properties, [member]: describe(inner, rest, text) } }
}

const withEntry = (schema: JsonSchema.JsonSchema, { description, members = {}, examples }: Entry) => ({
  ...Object.entries(members).reduce(
    (described, [member, text]) => describe(described, member.split("."), text),
    schema
  ),
  description,
  examples: Object.values(examples)
})

/** Says of every schema what it and its members mean, and shows examples. */
export const withWords = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const schemas = mapValues(spec.components.schemas, (schema, name) => {
    const entry = entryOf(name, schema)
    return entry === undefined ? schema : withEntry(schema, entry)
  })
  return { ...spec, components: { ...spec.components, schemas } }
}

/** What the reference says of the schema of this name. */
export const entryIn = (spec: Pick<OpenApi.OpenAPISpec, "components">, name: string): Entry | undefined => {
  const schema = spec.components.schemas[name]
  return schema && entryOf(name, schema)
}
