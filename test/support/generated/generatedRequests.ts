import { Arbitrary, Context, Option, Schema } from "effect"
import { HttpApi, type HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Api } from "../../../src/api/Api.ts"
import { RequiredScope } from "../../../src/api/Authorization.ts"

/** Who sends a request. */
const callers = ["owner", "drafter", "reader", "other", "member", "stranger", "nobody"] as const
export type Caller = (typeof callers)[number]

/** A request as it was meant, and what is to be done to it. */
export interface GeneratedRequest {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly caller: Caller
  /** Whether it is about a record that there is, in place of a random id. */
  readonly aboutKnown: boolean
  /** In place of a random time, which is hardly ever near. It also tells what the record that there is has come to. */
  readonly minutesAhead: number | null
  /** A number for each thing that is done to it before it is sent. */
  readonly dice: ReadonlyArray<number>
}

const whole = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const scheduling = whole(-6, 181 * 24 * 60)

/** Whoever an endpoint is for comes most often: others are refused before much is looked at. */
const callerOf = ({ annotations }: HttpApiEndpoint.Top) => {
  const usual: Caller = Option.isSome(Context.getOption(annotations, RequiredScope)) ? "owner" : "member"
  return Arbitrary.map(Arbitrary.schema(whole(0, 3 * callers.length - 1)), (index): Caller => callers[index] ?? usual)
}

/** The values of a schema as they are on the wire, or nothing where there is no schema. */
const onTheWire = <A>(schema: Schema.Constraint | undefined, none: A): Arbitrary.Arbitrary<A> => {
  if (schema === undefined) return Arbitrary.Constant(none)
  const encode = Schema.encodeUnknownSync(Schema.toCodecJson(schema as Schema.Codec<unknown>))
  return Arbitrary.map(Arbitrary.schema(schema), (value) => encode(value) as A)
}

const payloadOf = ({ payload }: HttpApiEndpoint.Top): Schema.Constraint | undefined =>
  Array.from(payload.values()).flatMap((one) => ("schemas" in one ? one.schemas : []))[0]

const requestsTo = (endpoint: HttpApiEndpoint.Top): Arbitrary.Arbitrary<GeneratedRequest> =>
  Arbitrary.all({
    params: onTheWire(endpoint.params, {}),
    query: onTheWire(endpoint.query, {}),
    headers: onTheWire(endpoint.headers, {}),
    body: onTheWire<unknown>(payloadOf(endpoint), undefined),
    caller: callerOf(endpoint),
    aboutKnown: Arbitrary.schema(Schema.Boolean),
    minutesAhead: Arbitrary.schema(Schema.NullOr(scheduling)),
    dice: Arbitrary.array(Arbitrary.schema(whole(0, 4_294_967_295)), { maxLength: 3 })
  })

export interface Endpoint {
  readonly operationId: string
  readonly method: string
  /** With a colon before each parameter. */
  readonly path: string
  readonly requests: Arbitrary.Arbitrary<GeneratedRequest>
}

/** Every endpoint of the contract, with requests to it. */
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
