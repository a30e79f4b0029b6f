import type { OpenApi } from "effect/http-api"
import { headerReferences, headers, headersOf } from "./headers.ts"
import { parameterOf } from "./parameters.ts"
import { alternatives, reference } from "./references.ts"
import { mapOperations, mapValues } from "./walk.ts"
import { entryIn } from "./words.ts"

type Spec = Omit<OpenApi.OpenAPISpec, "security">

const entriesOf = (spec: Spec, content: OpenApi.OpenApiSpecContent = {}) =>
  Object.values(content)
    .flatMap(({ schema }) => alternatives(schema))
    .flatMap((name) => entryIn(spec, name) ?? [])

const exampleName = (schema: string, example: string): string => `${schema}.${example}`

const withExamples = (spec: Spec, content: OpenApi.OpenApiSpecContent) =>
  mapValues(content, (media) => {
    const examples = alternatives(media.schema).flatMap((schema) =>
      Object.keys(entryIn(spec, schema)?.examples ?? {}).map(
        (name) => [name, { $ref: `#/components/examples/${exampleName(schema, name)}` }] as const
      )
    )
    return { ...media, examples: Object.fromEntries(examples) }
  })

/** The examples of everything that is sent. */
const examplesOf = (spec: Spec, contents: ReadonlyArray<OpenApi.OpenApiSpecContent>) =>
  Object.fromEntries(
    contents
      .flatMap((content) => Object.values(content))
      .flatMap(({ schema }) => alternatives(schema))
      .toSorted()
      .flatMap((schema) =>
        Object.entries(entryIn(spec, schema)?.examples ?? {}).map(
          ([name, value]) => [exampleName(schema, name), { value }] as const
        )
      )
  )

const describe = (spec: Spec, { content, description }: OpenApi.OpenApiSpecResponse): string => {
  const entries = entriesOf(spec, content)
  if (entries.length === 0) return description
  return content?.["application/problem+json"] === undefined
    ? entries.map((entry) => entry.description).join(" ")
    : entries.map((entry) => `\`${Object.keys(entry.examples).join()}\`: ${entry.description}`).join("\n\n")
}

const answer = (spec: Spec, response: OpenApi.OpenApiSpecResponse, carried: object) => ({
  description: describe(spec, response),
  headers: carried,
  ...(response.content && { content: withExamples(spec, response.content) })
})

/** Problems that any request can meet; the contract leaves them out, as there is nothing for a client to act on. */
const always = { 400: "InvalidRequest", 500: "Internal" }

const problem = (name: string): OpenApi.OpenApiSpecResponse => ({
  description: "",
  content: { "application/problem+json": { schema: reference(name) } }
})

const withItsAnswers = (spec: Spec, operation: OpenApi.OpenAPISpecOperation) => ({
  ...operation,
  parameters: operation.parameters.map((parameter) => parameterOf(operation, parameter)),
  ...(operation.requestBody && {
    requestBody: { ...operation.requestBody, content: withExamples(spec, operation.requestBody.content) }
  }),
  responses: {
    ...mapValues(always, (name) => ({ $ref: `#/components/responses/${name}` })),
    ...mapValues(operation.responses, (response, status) =>
      answer(spec, response, headersOf(operation, Number(status), response))
    )
  }
})

const contentsOf = ({ requestBody, responses }: OpenApi.OpenAPISpecOperation) =>
  [requestBody, ...Object.values(responses)].flatMap((part) => (part?.content === undefined ? [] : [part.content]))

/** Says of every answer what it means, what headers it carries and what it looks like. */
export const withAnswers = (spec: Spec) => {
  const shared = Object.values(always).map((name) => [name, problem(name)] as const)
  const own = Object.values(mapOperations(spec.paths, contentsOf)).flatMap((item) => Object.values(item).flat())
  const contents = [...own, ...shared.map(([, { content = {} }]) => content)]
  const answers = shared.map(([name, one]) => [name, answer(spec, one, headerReferences(["X-Request-Id"]))] as const)
  return {
    ...spec,
    paths: mapOperations(spec.paths, (operation) => withItsAnswers(spec, operation)),
    components: {
      ...spec.components,
      headers,
      responses: Object.fromEntries(answers),
      examples: examplesOf(spec, contents)
    }
  }
}
