// Reads from the OpenAPI document what the client can do: one operation for each that an API key may call.

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly enum?: ReadonlyArray<unknown>
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

interface Parameter {
  readonly in: string
  readonly name: string
}

interface DocumentedOperation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly security: ReadonlyArray<Readonly<Record<string, ReadonlyArray<string>>>>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

/** What is read of an OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** What a call gets: a list by pages, the member `data` of the body, the whole body, or bytes. */
export type AnswerKind = "pages" | "data" | "body" | "bytes"

export interface Operation {
  readonly id: string
  /** Where it is in the client, such as `posts` and `create`. */
  readonly resource: string
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly verb: string
  readonly path: string
  readonly pathParameters: ReadonlyArray<string>
  readonly hasQuery: boolean
  /** The headers that it takes, such as `If-Match`. */
  readonly headers: ReadonlyArray<string>
  readonly body?: { readonly kind: "json" | "form"; readonly schema: string; readonly isOptional: boolean }
  readonly answer: { readonly kind: AnswerKind; readonly schemas: ReadonlyArray<string> }
}

const json = "application/json"

const upperFirst = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const lowerFirst = (text: string) => `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`

const camelCase = (text: string) => {
  const [first = "", ...others] = text.split(/[ -]/)
  return [first === first.toUpperCase() ? first.toLowerCase() : lowerFirst(first), ...others.map(upperFirst)].join("")
}

/** A header's name as a member of a call's options. */
export const optionOf = (header: string): string => camelCase(header)

/** The names of one or several of the things of a tag or a path. */
const nounsOf = (text: string) => {
  const plural = text.split(/[ -]/).map(upperFirst).join("")
  return [plural, plural.replace(/ies$/, "y").replace(/s$/, "")]
}

/** The operation's id without the thing that its resource is about: `createPost` of the tag Posts is `create`. */
const nameOf = (id: string, tag: string, path: string) => {
  const [, , collection = ""] = path.split("/")
  const nouns = [...nounsOf(tag), ...nounsOf(collection)].toSorted((left, right) => right.length - left.length)
  const noun = nouns.find((each) => new RegExp(`[a-z]${each}(?![a-z])`).test(id))
  return noun === undefined ? id : id.replace(noun, "")
}

const schemaName = ({ $ref = "" }: Schema) => $ref.replace("#/components/schemas/", "")

const namesOf = (schema: Schema): ReadonlyArray<string> => (schema.anyOf ?? [schema]).map(schemaName)

const readAnswer = (
  { parameters = [], responses }: DocumentedOperation,
  schemas: Document["components"]["schemas"]
): Operation["answer"] => {
  const contents = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    status.startsWith("2") ? Object.entries(content) : []
  )
  if (contents.some(([type]) => type !== json)) return { kind: "bytes", schemas: [] }
  const names = [...new Set(contents.flatMap(([, { schema = {} }]) => namesOf(schema)))]
  const isPaged = parameters.some(({ in: place, name }) => place === "query" && name === "cursor")
  if (isPaged) return { kind: "pages", schemas: names }
  const hasDataAlone = names.every((name) => Object.keys(schemas[name]?.properties ?? {}).join(",") === "data")
  return { kind: hasDataAlone ? "data" : "body", schemas: names }
}

const readBody = (
  { requestBody }: DocumentedOperation,
  schemas: Document["components"]["schemas"]
): Pick<Operation, "body"> => {
  const [entry] = Object.entries(requestBody?.content ?? {})
  if (entry === undefined) return {}
  const [type, { schema = {} }] = entry
  const name = schemaName(schema)
  const isOptional = (schemas[name]?.required ?? []).length === 0
  return { body: { kind: type === json ? "json" : "form", schema: name, isOptional } }
}

const takesKey = ({ security }: DocumentedOperation) => security.some((requirement) => "apiKey" in requirement)

/** The document with the operations alone that take an API key: those for sessions are for browsers, and for no program. */
export const forKeys = <A extends Document>(document: A): A => ({
  ...document,
  paths: Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).filter(([, operation]) => takesKey(operation)))
    ])
  )
})

/** The operations of a document. */
export const readOperations = ({ components: { schemas }, paths }: Document): ReadonlyArray<Operation> =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]): Operation => {
      const { description = "", operationId, parameters = [], summary = "", tags } = operation
      const [tag = ""] = tags
      return {
        id: operationId,
        resource: camelCase(tag),
        name: nameOf(operationId, tag, path),
        summary,
        description,
        verb: verb.toUpperCase(),
        path,
        pathParameters: Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name),
        hasQuery: parameters.some(({ in: place }) => place === "query"),
        headers: parameters.flatMap(({ in: place, name }) => (place === "header" ? [name] : [])),
        ...readBody(operation, schemas),
        answer: readAnswer(operation, schemas)
      }
    })
  )

/** An operation as the client reads it: verb, path, what it takes, and what a call gets. */
const wordsOf = ({ answer, body, hasQuery, headers, path, verb }: Operation) =>
  [verb, path, ...(body ? [body.kind] : []), ...(hasQuery ? ["query"] : []), ...headers, answer.kind].join(" ")

/** The client's table, by resource and name. */
export const tableOf = (operations: ReadonlyArray<Operation>): Readonly<Record<string, Record<string, string>>> => {
  const table: Record<string, Record<string, string>> = {}
  for (const operation of operations) {
    const { id, name, resource } = operation
    const methods = (table[resource] ??= {})
    if (name in methods) throw new Error(`${id} would be another ${resource}.${name}`)
    methods[name] = wordsOf(operation)
  }
  return table
}
