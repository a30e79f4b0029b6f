import { Deferred, Duration, Effect, Option } from "effect"
import { Headers, type HttpClientRequest, type UrlParams } from "effect/http"
import { type PlatformResponse, type Call, callTimeout, NoResponse } from "../../src/platforms/call.ts"
import type { Machine } from "./machine.ts"
import type { World } from "./world.ts"

/** A request as a platform reads it. */
export interface PlatformRequest {
  readonly method: string
  readonly path: string
  readonly params: UrlParams.UrlParams
  /** The bearer token. */
  readonly token: string
  readonly body: string
  /** When it left its process. */
  readonly leftAt: number
}

/** What a platform answers. */
export interface PlatformAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** None where something before the platform answers. */
  readonly body?: unknown
}

/** A platform: what becomes of a request at the moment that it arrives. */
export interface PlatformServer {
  readonly name: string
  readonly answer: (request: PlatformRequest) => PlatformAnswer
  /** What a request says, for the trace. */
  readonly describe: (request: PlatformRequest) => string
  /** Runs at the moment that a request leaves a process. */
  readonly leaves: (machine: Machine, request: PlatformRequest) => void
  /** Runs at the moment that an answer reaches the process that asked. */
  readonly arrives: (machine: Machine, request: PlatformRequest, answer: PlatformAnswer) => void
}

const decoder = new TextDecoder()

const read = (request: HttpClientRequest.HttpClientRequest, leftAt: number): PlatformRequest => {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    params: request.urlParams,
    token: request.headers["authorization"]?.replace(/^Bearer /, "") ?? "",
    body: request.body._tag === "Uint8Array" ? decoder.decode(request.body.body) : "",
    leftAt
  }
}

const asAnswer = ({ body, headers, status }: PlatformAnswer): PlatformResponse => ({
  status,
  headers: Headers.fromInput(headers ?? {}),
  body: body === undefined ? "" : JSON.stringify(body)
})

/** A process's way to a platform, on which requests and answers are lost or late; takes the place of src/platforms' HTTP. */
export const makeNetwork = (world: World, machine: Machine, server: PlatformServer): Call => {
  const { dice } = world

  /** The request goes its way, whatever becomes of the process that sent it. */
  const travel = (request: PlatformRequest, answered: Deferred.Deferred<PlatformAnswer | "reset">, slow: boolean) =>
    Effect.suspend(() => {
      const wayThere = world.happens("request late") ? dice.between(15_000, 600_000) : dice.between(5, 200)
      const answerLost = world.happens("answer lost")
      const wayBack = slow || world.happens("answer slow") ? dice.between(4000, 25_000) : dice.between(5, 200)
      const reset = dice.chance(0.5)
      return Effect.gen(function* () {
        yield* world.sleep(wayThere)
        const answer = server.answer(request)
        world.note(server.name, `${server.describe(request)} → ${answer.status}${answerLost ? ", answer lost" : ""}`)
        if (answerLost && !reset) return
        yield* world.sleep(wayBack)
        yield* Deferred.succeed(answered, answerLost ? "reset" : answer)
      })
    })

  return (request) =>
    Effect.gen(function* () {
      yield* machine.running
      const asked = read(request, world.now())
      if (world.happens("death") || world.isPoison(asked.body)) machine.kill(`before ${server.describe(asked)}`)
      yield* machine.running
      if (world.happens("connection refused")) {
        yield* world.sleep(dice.between(0, 3000))
        yield* machine.running
        return yield* new NoResponse({ message: `${server.name} could not be reached`, maybeSent: false })
      }
      world.note(machine.name, `asks ${server.name}: ${server.describe(asked)}`)
      server.leaves(machine, asked)
      const answered = yield* Deferred.make<PlatformAnswer | "reset">()
      const stops = world.happens("stop")
      if (!world.happens("request lost")) yield* world.begin(travel(asked, answered, stops))
      if (stops) yield* machine.tellToStop
      const heard = yield* Effect.timeoutOption(Deferred.await(answered), callTimeout)
      if (world.happens("death")) machine.kill(`after ${server.describe(asked)}`)
      yield* machine.running
      if (Option.isNone(heard)) {
        const waited = `${server.name} did not answer within ${Duration.toSeconds(callTimeout)} seconds`
        return yield* new NoResponse({ message: waited, maybeSent: true })
      }
      if (heard.value === "reset") {
        return yield* new NoResponse({ message: `The connection to ${server.name} was lost`, maybeSent: true })
      }
      server.arrives(machine, asked, heard.value)
      return asAnswer(heard.value)
    })
}
