import { JsonSchema, Predicate, Result, Schema, SchemaRepresentation } from "effect"

interface Media {
  readonly schema: object
}

interface Reference {
  readonly $ref: string
}

interface Response {
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Readonly<Record<string, Media>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema.JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
  }
}

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const uuid = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
const utcWithMilliseconds = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"

/** Makes a schema stricter than the contract: it allows no undocumented members, and one form of ids and times. */
const strict = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(strict)
  if (!Predicate.isObject(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]))
  if (inner["format"] === "uuid") return { ...inner, pattern: uuid }
  if (inner["format"] === "date-time") return { ...inner, pattern: utcWithMilliseconds }
  return "properties" in inner ? { additionalProperties: false, ...inner } : inner
}

const referencedName = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** Returns what is wrong with a response, or undefined. */
type Check = (received: ReceivedResponse) => string | undefined

const checkBody = (definitions: unknown, schema: object): Check => {
  const imported = SchemaRepresentation.fromJsonSchemaDocument(
    JsonSchema.fromSchemaOpenApi3_1({ ...schema, $defs: definitions }),
    { patterns: "apply" }
  )
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(imported as Schema.Codec<unknown>), {
    errors: "all",
    onExcessProperty: "error"
  })
  return ({ text }) => Result.match(decode(text), { onFailure: String, onSuccess: () => undefined })
}

const checkHeaders = (document: Document, documented: Readonly<Record<string, Reference>>): Check => {
  const known = Object.keys(document.components.headers)
  const names = Object.values(documented).map(referencedName)
  const required = names.filter((name) => document.components.headers[name]?.required === true)
  return ({ headers }) => {
    const missing = required.filter((name) => headers[name.toLowerCase()] === undefined)
    const undocumented = known.filter((name) => headers[name.toLowerCase()] !== undefined && !names.includes(name))
    if (missing.length > 0) return `it lacks ${missing.join(", ")}`
    return undocumented.length > 0 ? `it has ${undocumented.join(", ")}, which is not documented` : undefined
  }
}

const checkResponse = (document: Document, definitions: unknown, { content = {}, headers = {} }: Response): Check => {
  const headersProblem = checkHeaders(document, headers)
  const bodies = new Map(Object.entries(content).map(([type, { schema }]) => [type, checkBody(definitions, schema)]))
  return (received) => {
    const type = String(received.headers["content-type"])
    const bodyProblem = bodies.get(type)
    if (bodyProblem === undefined) return `its type is ${type}`
    return headersProblem(received) ?? bodyProblem(received)
  }
}

/** The document's operations, with checks of their responses. */
export const documentedResponses = (document: Document) => {
  const definitions = strict(document.components.schemas)
  const components = new Map(
    Object.entries(document.components.responses).map(([name, response]) => [
      name,
      checkResponse(document, definitions, response)
    ])
  )
  const makeCheck = (response: Response | Reference) =>
    "$ref" in response ? components.get(referencedName(response)) : checkResponse(document, definitions, response)
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, responses }]) => {
      const checks = new Map(
        Object.entries(responses).map(([status, response]) => [Number(status), makeCheck(response)])
      )
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        statuses: Array.from(checks.keys()),
        check: ((received) => {
          const check = checks.get(received.status)
          return check === undefined ? `the status ${received.status} is not documented` : check(received)
        }) satisfies Check
      }
    })
  )
}
