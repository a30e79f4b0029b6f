import { JsonSchema, Predicate, Result, Schema, SchemaRepresentation } from "effect"

interface Media {
  readonly schema: object
}

interface Reference {
  readonly $ref: string
}

interface Response {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, Reference>>
  readonly content?: Readonly<Record<string, Media>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, Response>>
}

/** What of an OpenAPI document tells how requests are answered. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema.JsonSchema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, { readonly required?: boolean }>>
  }
}

/** An answer as it came. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

const uuid = "^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$"
const utcWithMilliseconds = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"

/** What the service itself sends is stricter than what clients may rely on: no member without a name, ids and times in one form. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!Predicate.isObject(schema)) return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  if (inner["format"] === "uuid") return { ...inner, pattern: uuid }
  if (inner["format"] === "date-time") return { ...inner, pattern: utcWithMilliseconds }
  return "properties" in inner ? { additionalProperties: false, ...inner } : inner
}

const last = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** Says what is wrong with an answer of one kind, or nothing. */
type Judge = (received: ReceivedResponse) => string | undefined

const judgeBody = (document: Document, schema: object): Judge => {
  const imported = SchemaRepresentation.fromJsonSchemaDocument(
    JsonSchema.fromSchemaOpenApi3_1({ ...schema, $defs: closed(document.components.schemas) }),
    { patterns: "apply" }
  )
  const decode = Schema.decodeUnknownResult(Schema.fromJsonString(imported as Schema.Codec<unknown>), {
    errors: "all",
    onExcessProperty: "error"
  })
  return ({ text }) => Result.match(decode(text), { onFailure: String, onSuccess: () => undefined })
}

const judgeHeaders = (document: Document, documented: Readonly<Record<string, Reference>>): Judge => {
  const known = Object.keys(document.components.headers)
  const names = Object.values(documented).map(last)
  const needed = names.filter((name) => document.components.headers[name]?.required === true)
  return ({ headers }) => {
    const lacking = needed.filter((name) => headers[name.toLowerCase()] === undefined)
    const surplus = known.filter((name) => headers[name.toLowerCase()] !== undefined && !names.includes(name))
    if (lacking.length > 0) return `it lacks ${lacking.join(", ")}`
    return surplus.length > 0 ? `it has ${surplus.join(", ")}, which is not documented` : undefined
  }
}

const judgeResponse = (document: Document, response: Response): Judge => {
  const { content = {}, headers = {} } =
    response.$ref === undefined ? response : (document.components.responses[last({ $ref: response.$ref })] ?? {})
  const onHeaders = judgeHeaders(document, headers)
  const bodies = new Map(Object.entries(content).map(([type, { schema }]) => [type, judgeBody(document, schema)]))
  return (received) => {
    const type = String(received.headers["content-type"])
    const onBody = bodies.get(type)
    if (onBody === undefined) return `its type is ${type}`
    return onHeaders(received) ?? onBody(received)
  }
}

/** The operations of a document, each with a judge of its answers: undefined where the answer is as documented. */
export const documentedResponses = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, responses }]) => {
      const judges = new Map(
        Object.entries(responses).map(([status, response]) => [Number(status), judgeResponse(document, response)])
      )
      return {
        operationId,
        method: method.toUpperCase(),
        path,
        statuses: Array.from(judges.keys()),
        judge: ((received) => {
          const judge = judges.get(received.status)
          return judge === undefined ? `the status ${received.status} is not documented` : judge(received)
        }) satisfies Judge
      }
    })
  )
