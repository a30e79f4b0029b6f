import { Cause, Effect, Option, Predicate, Schema, type SchemaAST } from "effect"
import { McpSchema } from "effect/ai"
import type { Issue } from "../domain/errors.ts"
import type { KeyHolder, Scope } from "../domain/people/apiKey.ts"
import { hasScope } from "../domain/people/apiKey.ts"
import { listIssues, summarize } from "../http/issues.ts"
import { findExcess } from "../http/jsonBounds.ts"
import { addLoggedFacts } from "../http/loggedFacts.ts"
import { RequestId } from "../http/RequestId.ts"
import { type AgentRequest, CurrentAgentRequest } from "./AgentRequest.ts"
import { boundResult } from "./bounds.ts"
import type { Contract } from "./call.ts"
import { canonical, idempotencyKey } from "./idempotencyKey.ts"
import { jsonSchemaOf } from "./jsonSchema.ts"
import { makeReadArguments } from "./readArguments.ts"
import { problemError, type ToolError } from "./toolError.ts"

/** Hints for clients that ask people before some kinds of calls. */
interface Hints {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
  /** True if the tool affects or reads something outside the workspace. */
  readonly openWorld: boolean
}

export interface Call {
  readonly agent: AgentRequest
  readonly contract: Contract
  readonly baseUrl: string
  /** The same key for all repetitions of a call. */
  readonly idempotencyKey: string
}

interface Definition<A, I, O, OI, E> {
  readonly name: string
  readonly title: string
  /** Says when to use the tool, and then what it never does. */
  readonly description: string
  readonly scopes: ReadonlyArray<Scope>
  /** False if a key that requires approval can't see the tool. True by default. */
  readonly isForDrafting?: boolean
  readonly hints: Hints
  readonly input: Schema.Codec<A, I>
  /** A shorter schema for lists of tools. Has to accept everything that `input` accepts. */
  readonly listed?: Schema.Constraint
  /** Lists the issues of invalid arguments; by default the schema's. */
  readonly findIssues?: (error: Schema.SchemaError, args: unknown) => Effect.Effect<ReadonlyArray<Issue>>
  readonly output: Schema.Codec<O, OI>
  /** A shorter `output` for lists of tools, if another tool's schema describes the omitted fields. */
  readonly listedOutput?: Schema.Constraint
  readonly run: (args: A, call: Call) => Effect.Effect<O, E>
}

export interface AgentTool {
  readonly name: string
  readonly descriptor: McpSchema.Tool
  readonly isVisibleTo: (holder: KeyHolder) => boolean
  readonly handle: (
    args: unknown,
    service: Pick<Call, "baseUrl" | "contract">
  ) => Effect.Effect<McpSchema.CallToolResult>
}

/** Refuses unknown arguments, so that an agent learns that a name is wrong. */
const parseOptions: SchemaAST.ParseOptions = { errors: "all", onExcessProperty: "error" }

const asText = (value: unknown) => [{ type: "text", text: JSON.stringify(value) } as const]

/** Limits an error's size, because arguments that it quotes may be as long as a request. */
const boundError = (error: ToolError): unknown => boundResult(error) ?? boundResult({ ...error, errors: [] })

const failed = Effect.fnUntraced(function* (tool: string, error: ToolError) {
  const { incoming } = yield* CurrentAgentRequest
  addLoggedFacts(incoming, { tool, error_code: error.code })
  return new McpSchema.CallToolResult({ isError: true, content: asText(boundError(error)) })
})

const invalidArguments = (tool: string, errors: ReadonlyArray<Issue>) =>
  Effect.flatMap(RequestId, (request_id) =>
    failed(tool, {
      code: "invalid_request",
      detail: summarize(errors),
      errors: errors.map(({ message, path }) => ({ path, message })),
      request_id
    })
  )

const internal = (request_id: string): ToolError => ({
  code: "internal",
  detail: "The service failed; what happened was logged. Whether anything was changed is unknown",
  errors: [],
  request_id
})

const postOf = (tool: string, ...places: ReadonlyArray<unknown>) => {
  const id = tool.endsWith("_post") ? places.find(Predicate.hasProperty("id"))?.id : undefined
  return typeof id === "string" ? { post_id: id } : {}
}

export const makeTool = <A, I, O, OI, E>(definition: Definition<A, I, O, OI, E>): AgentTool => {
  const { description, hints, input, isForDrafting = true, name, output, scopes, title } = definition
  const findIssues =
    definition.findIssues ?? ((error: Schema.SchemaError, args: unknown) => Effect.succeed(listIssues(error, args)))
  const readArguments = makeReadArguments(input)
  const decode = Schema.decodeUnknownEffect(input, parseOptions)
  const encodeArgs = Schema.encodeEffect(input)
  const encode = Schema.encodeEffect(output)

  const run = Effect.fnUntraced(function* (args: A, agent: AgentRequest, service: Pick<Call, "baseUrl" | "contract">) {
    const key = idempotencyKey(agent.holder, name, yield* encodeArgs(args))
    const result = yield* definition.run(args, { ...service, agent, idempotencyKey: key })
    const encoded = boundResult(yield* encode(result))
    if (encoded === undefined) return yield* Effect.die(new Error(`A result of ${name} can't be bounded`))
    return encoded
  })

  const log = (agent: AgentRequest, ...places: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      const status = agent.outcome === undefined ? {} : { api_status: agent.outcome.status }
      addLoggedFacts(agent.incoming, { tool: name, ...postOf(name, ...places), ...status })
    })

  const explain = Effect.fnUntraced(function* (cause: Cause.Cause<E | Schema.SchemaError>, agent: AgentRequest) {
    const error = Cause.hasDies(cause) ? Option.none() : Cause.findErrorOption(cause)
    const problem = Option.flatMap(error, (failure) => problemError(failure, agent.outcome))
    if (Option.isSome(problem)) return yield* failed(name, problem.value)
    yield* Effect.logError(`The tool ${name} failed`, cause)
    return yield* failed(name, internal(yield* RequestId))
  })

  const handleDecoded = Effect.fnUntraced(function* (args: A, service: Pick<Call, "baseUrl" | "contract">) {
    const agent = yield* CurrentAgentRequest
    // The call is also logged before it runs, because it may take effect even if its client disconnects.
    yield* log(agent, args)
    return yield* run(args, agent, service).pipe(
      Effect.tap((result) => log(agent, args, result)),
      Effect.map((result) => new McpSchema.CallToolResult({ structuredContent: result, content: asText(result) })),
      Effect.catchCause((cause) =>
        Cause.hasInterrupts(cause) ? Effect.interrupt : Effect.andThen(log(agent, args), explain(cause, agent))
      )
    )
  })

  return {
    name,
    descriptor: new McpSchema.Tool({
      name,
      title,
      description,
      inputSchema: jsonSchemaOf(definition.listed ?? input, "error"),
      outputSchema: jsonSchemaOf(definition.listedOutput ?? output, "ignore"),
      annotations: {
        title,
        readOnlyHint: hints.readOnly,
        destructiveHint: hints.destructive,
        idempotentHint: hints.idempotent,
        openWorldHint: hints.openWorld
      }
    }),
    isVisibleTo: ({ requiresApproval, scopes: held }) =>
      (isForDrafting || !requiresApproval) && scopes.every((scope) => hasScope(held, scope)),
    handle: (sent, service) => {
      const args = readArguments(sent ?? {})
      const excess = Predicate.isObject(args) ? findExcess(args) : undefined
      if (excess !== undefined) return invalidArguments(name, [{ path: [], message: excess }])
      // Canonical, because the API compares the body of a repetition with the earlier one.
      return Effect.matchEffect(decode(canonical(args)), {
        onFailure: (error) => Effect.flatMap(findIssues(error, args), (errors) => invalidArguments(name, errors)),
        onSuccess: (decoded) => handleDecoded(decoded, service)
      })
    }
  }
}
