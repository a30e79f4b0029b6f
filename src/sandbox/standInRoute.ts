import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Fiber, type Scope } from "effect"
import { type Headers, HttpRouter, type HttpServerRequest, HttpServerResponse } from "effect/http"
import type { LivePlatform } from "../domain/platform.ts"
import type { CallKind, Fault, Faults } from "./state/faults.ts"

/** Faults under which a request is carried out. */
type Oddity = Exclude<Fault, { readonly kind: "status" | "front" | "delay" | "reset" | "hang" }>

export interface StandInRequest {
  readonly headers: Headers.Headers
  readonly params: Readonly<Record<string, string | undefined>>
  readonly query: URLSearchParams
  /** Empty for large bodies, which are in `bytes`. */
  readonly body: string
  readonly bytes: Uint8Array
  readonly now: number
  /** The request's fault, if the handler carries it out. */
  readonly oddity: Oddity | undefined
}

export type StandInHandler = (request: StandInRequest) => Effect.Effect<HttpServerResponse.HttpServerResponse>

const decoder = new TextDecoder()
const maxText = 8 * 1024 * 1024

export interface ErrorFormat {
  /** Omitted arguments get the platform's usual text for the status. */
  readonly error: (status: number, name?: string, detail?: string) => HttpServerResponse.HttpServerResponse
  /** For an exhausted limit. `reset` is in Unix seconds. */
  readonly resetHeaders: (reset: number) => Readonly<Record<string, string>>
}

export interface RouteContext {
  readonly platform: LivePlatform
  readonly faults: Faults
  readonly errorFormat: ErrorFormat
  /** Requests run in it, so that they continue when their caller disconnects. */
  readonly scope: Scope.Scope
}

export const bearerToken = ({ headers }: StandInRequest): string | undefined =>
  headers["authorization"]?.replace(/^Bearer /, "")

/** A reply has a member of this name. */
export const publishCall = (body: string): CallKind => (/"reply"\s*:/.test(body) ? "reply" : "publish")

const faultResponse = (
  { error, resetHeaders }: ErrorFormat,
  fault: Extract<Fault, { kind: "status" }>,
  now: number
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(
    fault.body === undefined
      ? error(fault.status, fault.error, fault.detail)
      : HttpServerResponse.text(fault.body, { status: fault.status }),
    {
      ...(fault.retry_after === undefined ? {} : { "retry-after": String(fault.retry_after) }),
      ...(fault.reset_after === undefined ? {} : resetHeaders(Math.ceil(now / 1000) + fault.reset_after))
    }
  )

/** As from a firewall or a gateway. */
const frontResponse = (status: number) =>
  HttpServerResponse.text(`<!doctype html><title>${status}</title><h1>Access denied</h1>`, {
    status,
    contentType: "text/html"
  })

const resetConnection = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.andThen(
    Effect.sync(() => {
      NodeHttpServerRequest.toIncomingMessage(request).socket.resetAndDestroy()
    }),
    Effect.never
  )

/**
 * Applies ordered faults. As on the real platforms, a received request is carried out even if its caller disconnects.
 */
export const standInRoute = (
  { errorFormat, faults, platform, scope }: RouteContext,
  call: CallKind | ((body: string) => CallKind),
  method: "GET" | "POST" | "DELETE",
  path: HttpRouter.PathInput,
  handler: StandInHandler
) => {
  const carryOut = (effect: Effect.Effect<HttpServerResponse.HttpServerResponse>) =>
    Effect.flatMap(Effect.forkIn(effect, scope), Fiber.join)

  const respond = (
    fault: Fault | undefined,
    request: HttpServerRequest.HttpServerRequest,
    read: StandInRequest
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const handled = handler(read)
    switch (fault?.kind) {
      case undefined:
        return carryOut(handled)
      case "status": {
        const response = Effect.map(Clock.currentTimeMillis, (now) => faultResponse(errorFormat, fault, now))
        return fault.when === "after_commit" ? Effect.andThen(carryOut(handled), response) : response
      }
      case "front": {
        const page = Effect.succeed(frontResponse(fault.status))
        return fault.when === "after_commit" ? Effect.andThen(carryOut(handled), page) : page
      }
      case "overload":
        return Effect.as(carryOut(handler({ ...read, oddity: fault })), errorFormat.error(503))
      case "delay":
        return carryOut(Effect.delay(handled, fault.ms))
      case "reset":
        return fault.when === "after_commit"
          ? Effect.andThen(carryOut(handled), resetConnection(request))
          : resetConnection(request)
      case "hang":
        return fault.when === "after_commit" ? Effect.andThen(carryOut(handled), Effect.never) : Effect.never
      default:
        return carryOut(handler({ ...read, oddity: fault }))
    }
  }

  return HttpRouter.route(
    method,
    path,
    Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, never, HttpRouter.RouteContext> {
      const bytes = new Uint8Array(yield* Effect.orElseSucceed(request.arrayBuffer, () => new ArrayBuffer()))
      const params = yield* HttpRouter.params
      const now = yield* Clock.currentTimeMillis
      const { searchParams } = new URL(request.url, "http://sandbox.invalid")
      // Text bodies are small.
      const body = bytes.byteLength > maxText ? "" : decoder.decode(bytes)
      const fault = yield* faults.take(platform, typeof call === "string" ? call : call(body))
      const response = yield* respond(fault, request, {
        headers: request.headers,
        params,
        query: searchParams,
        body,
        bytes,
        now,
        oddity: undefined
      })
      // The sandbox's clock also sets its posts' times and its limits.
      return HttpServerResponse.setHeader(response, "date", new Date(yield* Clock.currentTimeMillis).toUTCString())
    })
  )
}

export type StandInRoute = ReturnType<typeof standInRoute>
