// Writes the declarations of what the client is made of from the document: its models and its methods.
import { type Document, type Operation, optionOf } from "./operations.ts"

const upperFirst = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const comment = (text: string, indent: string) => {
  const lines = text.replaceAll("*/", "*\\/").split("\n")
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`].join("\n")
}

const queryName = ({ id }: Operation) => `${upperFirst(id)}Query`

const lowerCamel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The member `data` of a body by the name of its schema, where it has one. */
const dataOf = (name: string, { components: { schemas } }: Document) => {
  const data = schemas[name]?.properties?.["data"]
  const named = (data?.items ?? data)?.$ref?.replace("#/components/schemas/", "")
  return named === undefined ? `${name}["data"]` : data?.items === undefined ? named : `Array<${named}>`
}

const itemOf = (name: string, document: Document) =>
  /^Array<(.*)>$/.exec(dataOf(name, document))?.[1] ?? `${name}["data"][number]`

const unique = (names: ReadonlyArray<string>) => [...new Set(names)].join(" | ")

const returnType = ({ answer: { kind, schemas } }: Operation, document: Document) => {
  switch (kind) {
    case "bytes":
      return "Answer<Response>"
    case "pages":
      return `Pages<${unique(schemas.map((name) => itemOf(name, document)))}, ${unique(schemas)}>`
    case "data":
      return `Answer<${unique(schemas.map((name) => dataOf(name, document)))}>`
    case "body":
      return `Answer<${unique(schemas)}>`
  }
}

const optionsType = ({ headers }: Operation) => {
  const names = headers.map((header) => JSON.stringify(optionOf(header)))
  return names.length === 0 ? "CallOptions" : `CallOptions & Takes<${names.join(" | ")}>`
}

const methodOf = (operation: Operation, document: Document) => {
  const { body, description, hasQuery, name, pathParameters, summary } = operation
  const parameters = [
    ...pathParameters.map((parameter) => `${lowerCamel(parameter)}: string`),
    ...(body === undefined ? [] : [`body${body.isOptional ? "?" : ""}: ${body.schema}`]),
    ...(hasQuery ? [`query?: ${queryName(operation)}`] : []),
    `options?: ${optionsType(operation)}`
  ]
  return [
    comment(`${summary}.\n\n${description}`, "  "),
    `  readonly ${name}: (${parameters.join(", ")}) => ${returnType(operation, document)}`
  ].join("\n")
}

const interfaceOf = (resource: string) => `${upperFirst(resource)}Methods`

const resourceOf = (resource: string, operations: ReadonlyArray<Operation>, document: Document) => {
  // A form has a file, for which the client has a method of its own.
  const own = operations.filter((operation) => operation.resource === resource && operation.body?.kind !== "form")
  return `export interface ${interfaceOf(resource)} {\n${own.map((each) => methodOf(each, document)).join("\n")}\n}`
}

interface Generated {
  readonly sent: ReadonlySet<string>
  readonly answered: ReadonlySet<string>
}

const alias = (from: string) => (name: string) => `export type ${name} = ${from}["schemas"]["${name}"]`

/** The codes of the problems, each a schema with a code of its own. */
const problemsOf = ({ components: { schemas } }: Document) =>
  Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
    (properties["type"]?.enum ?? []).some((type) => String(type).startsWith("urn:")) ? [name] : []
  )

/** The declarations of the module `contract`. */
export const contractOf = (document: Document, operations: ReadonlyArray<Operation>, generated: Generated): string => {
  const resources = [...new Set(operations.map(({ resource }) => resource))]
  const both = [...generated.sent].filter((name) => generated.answered.has(name))
  const problems = problemsOf(document).filter((name) => generated.answered.has(name))
  return [
    'import type { Answer, Pages } from "./answers.js"',
    'import type { components as Answers } from "./schemas/answers.js"',
    'import type { CallOptions, Takes } from "./options.js"',
    'import type { components as Requests, operations as Queries } from "./schemas/requests.js"',
    "",
    ...[...generated.answered].toSorted().map(alias("Answers")),
    ...[...generated.sent]
      .filter((name) => !generated.answered.has(name))
      .toSorted()
      .map(alias("Requests")),
    "",
    ...both.map(
      (name) => `/** What this version sends; an answer may have further words. */
export type Known${name} = Requests["schemas"]["${name}"]`
    ),
    "",
    ...operations
      .filter(({ hasQuery }) => hasQuery)
      .map(
        (operation) =>
          `export type ${queryName(operation)} = NonNullable<Queries["${operation.id}"]["parameters"]["query"]>`
      ),
    "",
    "/** A problem that this version knows. */",
    `export type Problem = ${problems.join(" | ")} | UnknownProblem`,
    "/** A problem of a later version, or of something in between. */",
    "export interface UnknownProblem { readonly code?: string; readonly [member: string]: unknown }",
    `export type ProblemCode = (${problems.join(" | ")})["code"]`,
    "/** Also `unknown`, where a response is not the service's, and the words of later versions. */",
    'export type AnyCode = ProblemCode | "unknown" | (string & Record<never, never>)',
    "",
    ...resources.map((resource) => resourceOf(resource, operations, document)),
    "",
    `export interface Resources {\n${resources.map((name) => `  readonly ${name}: ${interfaceOf(name)}`).join("\n")}\n}`,
    "",
    "/** The operations by resource and name. */",
    "export declare const operations: Readonly<Record<string, Readonly<Record<string, string>>>>",
    ""
  ].join("\n")
}
