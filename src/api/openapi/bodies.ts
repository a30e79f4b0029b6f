import { Context, Schema } from "effect"
import { HttpApi, type HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { readExamples } from "../examples.ts"
import { byName } from "./json.ts"

interface Body {
  readonly description: string
  readonly examples: Readonly<Record<string, unknown>>
  readonly isRequest: boolean
}

export type Bodies = ReadonlyMap<string, Body>

/** Collects what Effect leaves out of the document: examples of bodies, and problems' descriptions. */
export const readBodies = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  contract: HttpApi.HttpApi<Id, Groups>
): Bodies => {
  const bodies = new Map<string, Body>()
  const add = (schema: Schema.Constraint, isRequest: boolean) => {
    const { identifier, description = "" } = Schema.resolveAnnotations(schema) ?? {}
    if (identifier !== undefined) bodies.set(identifier, { description, examples: readExamples(schema), isRequest })
  }
  HttpApi.reflect(contract, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, successes, errors }) => {
      for (const { schemas } of endpoint.payload.values()) for (const schema of schemas) add(schema, true)
      for (const schema of [...successes.values(), ...errors.values()].flat())
        add(HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema, false)
    }
  })
  for (const schema of Context.getOrElse(contract.annotations, HttpApi.AdditionalSchemas, () => [])) add(schema, false)
  return new Map(Array.from(bodies).toSorted(byName))
}
