import { Arbitrary, Context, Option, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Api } from "../../../src/api/Api.ts"
import { RequiredScope } from "../../../src/api/Authorization.ts"

/** The credential of a request: keys of the workspace and of another workspace, a session, an unknown key, or none. */
const callers = ["owner", "drafter", "reader", "other", "member", "stranger", "nobody"] as const
export type Caller = (typeof callers)[number]

/** A valid request, with the random numbers of its mutations. */
export interface GeneratedRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly caller: Caller
  /** True if the request names an existing record instead of a random id. */
  readonly namesExisting: boolean
  /**
   * The time in minutes from now, because a random time is rarely near. It also determines the existing record's state.
   */
  readonly minutesAhead: number | null
  /** One random number for each mutation. */
  readonly dice: ReadonlyArray<number>
}

const wholeNumber = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const scheduling = wholeNumber(-6, 181 * 24 * 60)

/** Favors the endpoint's intended caller, because other callers are refused before most of the request is read. */
const callersOf = ({ annotations }: HttpApiEndpoint.Top) => {
  const usual: Caller = Option.isSome(Context.getOption(annotations, RequiredScope)) ? "owner" : "member"
  return Arbitrary.map(
    Arbitrary.schema(wholeNumber(0, 3 * callers.length - 1)),
    (index): Caller => callers[index] ?? usual
  )
}

/** Encoded values of a schema, or `none` if there is no schema. */
const encodedValues = <A>(schema: Schema.Constraint | undefined, none: A): Arbitrary.Arbitrary<A> => {
  if (schema === undefined) return Arbitrary.Constant(none)
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(schema as Schema.Codec<unknown>))
  return Arbitrary.map(Arbitrary.schema(schema), (value) => encode(value) as A)
}

const payloadSchema = ({ payload }: HttpApiEndpoint.Top): Schema.Constraint | undefined =>
  Array.from(payload.values()).flatMap((media) => ("schemas" in media ? media.schemas : []))[0]

const requestsTo = (endpoint: HttpApiEndpoint.Top): Arbitrary.Arbitrary<GeneratedRequest> =>
  Arbitrary.all({
    params: encodedValues(endpoint.params, {}),
    query: encodedValues(endpoint.query, {}),
    headers: encodedValues(endpoint.headers, {}),
    body: encodedValues<unknown>(payloadSchema(endpoint), undefined),
    caller: callersOf(endpoint),
    namesExisting: Arbitrary.schema(Schema.Boolean),
    minutesAhead: Arbitrary.schema(Schema.NullOr(scheduling)),
    dice: Arbitrary.array(Arbitrary.schema(wholeNumber(0, 4_294_967_295)), { maxLength: 3 })
  })

export interface Endpoint {
  readonly operationId: string
  readonly method: string
  /** The path, with a colon before each parameter, as in `/v1/posts/:id`. */
  readonly path: string
  readonly requests: Arbitrary.Arbitrary<GeneratedRequest>
}

/** Every endpoint of the contract, with generated requests. */
export const endpoints: ReadonlyArray<Endpoint> = (() => {
  const found: Array<Endpoint> = []
  HttpApi.reflect(Api, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint, mergedAnnotations }) => {
      const { method, path } = endpoint
      const operationId = Option.getOrThrow(Context.getOption(mergedAnnotations, OpenApi.Identifier))
      found.push({ operationId, method, path, requests: requestsTo(endpoint) })
    }
  })
  return found
})()
