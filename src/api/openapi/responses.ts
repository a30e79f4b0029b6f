import { type JsonSchema, Record } from "effect"
import type { OpenApi } from "effect/http-api"
import type { Bodies } from "./bodies.ts"
import { byteHeaders, describeBytes, documentBytes } from "./bytes.ts"
import { headerName, headerReferences, headers, responseHeaders } from "./headers.ts"
import { alternatives, reference } from "./json.ts"
import { discriminate } from "./schemas.ts"

const methods = ["get", "post", "put", "patch", "delete"] as const

const problemType = "application/problem+json"

/** Problems of any request. The contract omits them, because clients don't handle them for each operation. */
const commonProblems = { 400: "InvalidRequest", 500: "Internal" }

/** Moves the description from the schema to the parameter, where readers look for it. */
const documentParameter = (parameter: OpenApi.OpenAPISpecParameter) => {
  const { description, ...schema }: JsonSchema.JsonSchema = { ...parameter.schema }
  const name = parameter.in === "header" ? headerName(parameter.name) : parameter.name
  return { ...parameter, name, description, schema }
}

export const documentOperations = (spec: Omit<OpenApi.OpenAPISpec, "security">, bodies: Bodies) => {
  const bodiesOf = (schema: JsonSchema.JsonSchema) =>
    alternatives(schema).flatMap((name) => {
      const body = bodies.get(name)
      return body === undefined ? [] : [{ ...body, name }]
    })

  const documentContent = (content: OpenApi.OpenApiSpecContent) =>
    Record.map(content, ({ schema, ...media }) => {
      const examples = bodiesOf(schema).flatMap((body) =>
        Object.keys(body.examples).map((key) => [key, { $ref: `#/components/examples/${body.name}.${key}` }] as const)
      )
      const discriminated = { ...media, schema: discriminate(spec.components.schemas, schema) }
      return examples.length === 0 ? discriminated : { ...discriminated, examples: Object.fromEntries(examples) }
    })

  const documentResponse = (
    content: OpenApi.OpenApiSpecContent,
    ownHeaders: Record<string, object>,
    /** The description of a response whose body has no described schema. */
    otherwise = ""
  ) => {
    const problems = content[problemType]
    const descriptions =
      problems === undefined
        ? Object.values(content).flatMap(({ schema }) => bodiesOf(schema).map(({ description }) => description))
        : bodiesOf(problems.schema).map(
            ({ description, examples }) => `\`${Object.keys(examples).join()}\`: ${description}`
          )
    return {
      description: descriptions.join("\n\n") || otherwise,
      headers: ownHeaders,
      ...(Object.keys(content).length > 0 && { content: documentContent(content) })
    }
  }

  const documentOperation = (derived: OpenApi.OpenAPISpecOperation) => {
    const operation = documentBytes(derived)
    return {
      ...operation,
      parameters: operation.parameters.map(documentParameter),
      ...(operation.requestBody && {
        requestBody: { ...operation.requestBody, content: documentContent(operation.requestBody.content) }
      }),
      responses: {
        ...Record.map(commonProblems, (name) => ({ $ref: `#/components/responses/${name}` })),
        ...Record.map(operation.responses, (response, status) =>
          documentResponse(
            response.content ?? {},
            {
              ...responseHeaders(operation, Number(status), response),
              ...byteHeaders(operation.operationId, Number(status))
            },
            describeBytes(Number(status))
          )
        )
      }
    }
  }

  const commonResponse = (name: string) =>
    documentResponse({ [problemType]: { schema: reference(name) } }, headerReferences(["X-Request-Id"]))
  const examples = Array.from(bodies).flatMap(([name, body]) =>
    Object.entries(body.examples).map(([key, value]) => [`${name}.${key}`, { value }] as const)
  )
  return {
    ...spec,
    paths: Record.map(spec.paths, (item) =>
      Object.fromEntries(
        methods.flatMap((method) => (item[method] === undefined ? [] : [[method, documentOperation(item[method])]]))
      )
    ),
    components: {
      ...spec.components,
      headers,
      responses: Object.fromEntries(Object.values(commonProblems).map((name) => [name, commonResponse(name)] as const)),
      examples: Object.fromEntries(examples)
    }
  }
}
