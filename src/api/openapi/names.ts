import { type JsonSchema, Predicate } from "effect"
import type { OpenApi } from "effect/http-api"
import { LivePlatform, Platform } from "../../domain/platform.ts"
import { PostStatus, TargetStatus } from "../../domain/post.ts"
import { alternatives, onlyValue, reference, referredName } from "./references.ts"
import { rewriteSchemas } from "./walk.ts"

const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  Platform: Platform.literals,
  LivePlatform: LivePlatform.literals,
  PostStatus: PostStatus.literals,
  TargetStatus: TargetStatus.literals
}

const choiceName = ({ enum: values }: JsonSchema.JsonSchema): string | undefined =>
  Array.isArray(values) ? Object.keys(choices).find((name) => choices[name]?.join() === values.join()) : undefined

const plain = (name: string): string => name.replace(/Encoded$/, "")

/** Takes off the suffix by which Effect tells what a class is on the wire from the class itself. */
const withPlainNames = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const renamed = rewriteSchemas(spec, (schema) => {
    const name = referredName(schema)
    return name === undefined ? schema : { ...schema, ...reference(plain(name)) }
  })
  const own = Object.entries(renamed.components.schemas).filter(
    ([name, schema]) => referredName(schema) !== plain(name)
  )
  return {
    ...renamed,
    components: {
      ...renamed.components,
      schemas: Object.fromEntries(own.map(([name, schema]) => [plain(name), schema]))
    }
  }
}

/** Gives the choices that stand in many places a name and one description. */
const withNamedChoices = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const found: Record<string, JsonSchema.JsonSchema> = {}
  const renamed = rewriteSchemas(spec, (schema) => {
    const name = choiceName(schema)
    if (name === undefined) return schema
    found[name] = schema
    return reference(name)
  })
  return { ...renamed, components: { ...renamed.components, schemas: { ...renamed.components.schemas, ...found } } }
}

const pascal = (type: string): string =>
  type.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())

/** Gives each type of notification a name, as generated clients have nothing else to call it. */
const withNamedNotifications = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  const { Notification, ...others } = spec.components.schemas
  const members = Notification?.["anyOf"]
  if (!Array.isArray(members)) return spec
  const named = Object.fromEntries(
    members.filter(Predicate.isObject).map((member) => [pascal(String(onlyValue(member, "type"))), member])
  )
  const schemas = { ...others, Notification: { anyOf: Object.keys(named).map(reference) }, ...named }
  return { ...spec, components: { ...spec.components, schemas } }
}

/** Where a schema is one of several that a word in them tells apart, names that word. */
const withDiscriminators = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec =>
  rewriteSchemas(spec, (schema) => {
    const names = alternatives(schema)
    const word = ["code", "type"].find((member) =>
      names.every((name) => onlyValue(spec.components.schemas[name], member) !== undefined)
    )
    if (schema["anyOf"] === undefined || names.length < 2 || word === undefined) return schema
    const mapping = Object.fromEntries(
      names.map((name) => [String(onlyValue(spec.components.schemas[name], word)), reference(name).$ref] as const)
    )
    return { oneOf: names.map(reference), discriminator: { propertyName: word, mapping } }
  })

/** Names every schema that a reader or a generated client would want to speak of. */
export const withNames = (spec: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec =>
  [withPlainNames, withNamedNotifications, withNamedChoices, withDiscriminators].reduce(
    (named, step) => step(named),
    spec
  )
