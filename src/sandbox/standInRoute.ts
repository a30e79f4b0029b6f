import { NodeHttpServerRequest } from "@effect/platform-node"
import { Clock, Effect, Fiber, type Scope } from "effect"
import { type Headers, HttpRouter, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { LivePlatform } from "../domain/platform.ts"
import type { Fault, SandboxCall, SandboxFaults } from "./state/faults.ts"

/** A request to a platform, read. */
export interface StandInRequest {
  readonly headers: Headers.Headers
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  readonly body: string
  readonly now: number
  /** Posts that are younger, in milliseconds, are not shown yet. */
  readonly lag: number
}

export type StandInHandler = (request: StandInRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>

/** What every route of a platform has in common. */
export interface StandIn {
  readonly platform: LivePlatform
  readonly faults: SandboxFaults
  /** What is under way ends with it, not with its caller. */
  readonly scope: Scope.Scope
  /** An ordered answer, as the platform words it. */
  readonly faultAnswer: (
    fault: Extract<Fault, { kind: "status" }>,
    now: number
  ) => HttpServerResponse.HttpServerResponse
}

const breakConnection = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.andThen(
    Effect.sync(() => {
      NodeHttpServerRequest.toIncomingMessage(request).socket.resetAndDestroy()
    }),
    Effect.never
  )

/**
 * A route that carries requests out as ordered. As on the real platforms, a request that has arrived is carried out even
 * if its caller has gone.
 */
export const standInRoute = (
  standIn: StandIn,
  call: SandboxCall,
  method: "GET" | "POST",
  path: HttpRouter.PathInput,
  handler: StandInHandler
) => {
  const carryOut = (effect: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
    Effect.flatMap(Effect.forkIn(effect, standIn.scope), Fiber.join)

  const meet = (
    fault: Fault | undefined,
    request: HttpServerRequest.HttpServerRequest,
    read: StandInRequest
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const handled = handler(read)
    switch (fault?.kind) {
      case undefined:
        return carryOut(handled)
      case "status": {
        const answer = Effect.map(Clock.currentTimeMillis, (now) => standIn.faultAnswer(fault, now))
        return fault.when === "after_commit" ? Effect.andThen(carryOut(handled), answer) : answer
      }
      case "delay":
        return carryOut(Effect.delay(handled, fault.ms))
      case "reset":
        return fault.when === "after_commit"
          ? Effect.andThen(carryOut(handled), breakConnection(request))
          : breakConnection(request)
      case "hang":
        return fault.when === "after_commit" ? Effect.andThen(carryOut(handled), Effect.never) : Effect.never
      case "lag":
        return carryOut(handler({ ...read, lag: fault.ms }))
    }
  }

  return HttpRouter.route(
    method,
    path,
    Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, never, HttpRouter.RouteContext> {
      const body = yield* Effect.orElseSucceed(request.text, () => "")
      const params = yield* HttpRouter.params
      const now = yield* Clock.currentTimeMillis
      const { searchParams } = new URL(request.url, "http://sandbox.invalid")
      const fault = yield* standIn.faults.take(standIn.platform, call)
      return yield* meet(fault, request, { headers: request.headers, params, query: searchParams, body, now, lag: 0 })
    })
  )
}
