import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Fiber, type Scope, Stream } from "effect"
import type { SecureRandom } from "effect/crypto"
import { HttpRouter, type HttpServerRequest, HttpServerResponse, Multipart } from "effect/http"
import type { Endpoint, StandInRequest, StandInResponse } from "./endpoint.ts"
import type { Files, SandboxFile } from "./media/files.ts"
import { openStandIn } from "./openStandIn.ts"
import { meet } from "./outcome.ts"
import type { StandIn } from "./StandIn.ts"
import type { ConsentRequest } from "./state/codes.ts"
import type { Faults } from "./state/faults.ts"
import type { Store } from "./state/store.ts"
import { drawTokens, randomToken } from "./state/tokens.ts"

const decoder = new TextDecoder()
const maxText = 8 * 1024 * 1024

const readForm = (headers: HttpServerRequest.HttpServerRequest["headers"], bytes: Uint8Array) =>
  Effect.suspend(() => {
    const form = new Map<string, string | Uint8Array>()
    if (headers["content-type"]?.startsWith("multipart/form-data") !== true) return Effect.succeed(form)
    return Stream.make(bytes).pipe(
      Stream.pipeThroughChannel(Multipart.makeChannel(headers)),
      Stream.runForEach((part) =>
        Multipart.isField(part)
          ? Effect.sync(() => form.set(part.key, part.value))
          : Effect.map(part.contentEffect, (content) => form.set(part.key, content))
      ),
      Effect.ignore,
      Effect.as(form)
    )
  })

const resetConnection = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.andThen(
    Effect.sync(() => {
      NodeHttpServerRequest.toIncomingMessage(request).socket.resetAndDestroy()
    }),
    Effect.never
  )

const toHttp = ({ body, headers = {}, status }: StandInResponse) => {
  if (body === undefined) return HttpServerResponse.empty({ status, headers })
  return typeof body === "string"
    ? HttpServerResponse.text(body, { status, headers })
    : HttpServerResponse.jsonUnsafe(body, { status, headers })
}

export interface StandInServer {
  readonly store: Store
  readonly faults: Faults
  readonly files: Files
  readonly random: SecureRandom.SecureRandom["Service"]
  /** Requests run in this scope, so that they continue when their caller disconnects. */
  readonly scope: Scope.Scope
  readonly limit: (usual: number) => number
  /** Fetches a file as a platform does. Absent if the platform fetches nothing. */
  readonly fetchFile?: (url: string) => Effect.Effect<SandboxFile | undefined>
}

/**
 * Applies ordered faults. As on the real platforms, a received request is carried out even if its sender disconnects.
 */
const serveEndpoint = (
  { faults, fetchFile, random, scope, store }: StandInServer,
  { errorFormat, platform }: Pick<StandIn, "errorFormat" | "platform">,
  endpoint: Endpoint
) => {
  const { call, fetches = () => [], method, path } = endpoint

  const fetchAll = Effect.fnUntraced(function* (body: string) {
    if (fetchFile === undefined) return {}
    const files = yield* Effect.forEach(fetches(body), (url) => Effect.map(fetchFile(url), (file) => ({ url, file })))
    return {
      fetched: new Map(files.flatMap(({ file, url }) => (file === undefined ? [] : [[url, file] as const])))
    }
  })

  const read = Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest
  ): Effect.fn.Return<Omit<StandInRequest, "now" | "oddity">, never, HttpRouter.RouteContext> {
    const bytes = new Uint8Array(yield* Effect.orElseSucceed(request.arrayBuffer, () => new ArrayBuffer()))
    return {
      headers: request.headers,
      params: yield* HttpRouter.params,
      query: new URL(request.url, "http://sandbox.invalid").searchParams,
      // Only small bodies are texts.
      body: bytes.byteLength > maxText ? "" : decoder.decode(bytes),
      bytes,
      form: yield* readForm(request.headers, bytes),
      fresh: yield* drawTokens(random)
    }
  })

  return HttpRouter.route(
    method,
    path,
    Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest
    ): Effect.fn.Return<HttpServerResponse.HttpServerResponse, never, HttpRouter.RouteContext> {
      const received = yield* read(request)
      const fault = yield* faults.take(platform, typeof call === "string" ? call : call(received.body))
      const fetched = yield* fetchAll(received.body)
      const carriedOut = store.transact((state, now) => {
        const { entries, response } = meet(endpoint, errorFormat, fault, { ...received, ...fetched, now }, state)
        return { entries, result: response }
      })
      const delayed = fault?.kind === "delay" ? Effect.delay(carriedOut, fault.ms) : carriedOut
      const response = yield* Effect.flatMap(Effect.forkIn(delayed, scope), Fiber.join)
      if (response === "hang") return yield* Effect.never
      if (response === "reset") return yield* resetConnection(request)
      // The sandbox's clock also sets its posts' times and its limits.
      const date = new Date(yield* Clock.currentTimeMillis).toUTCString()
      return HttpServerResponse.setHeader(toHttp(response), "date", date)
    })
  )
}

export const serveStandIn = (
  server: StandInServer,
  standIn: Pick<StandIn, "account" | "endpoints" | "errorFormat" | "platform" | "renewal">
) => {
  const { random, store } = server
  const { codes, deriveAccount, endpoints, tokens } = openStandIn(standIn, server)

  const register = (seed: string) => {
    const account = deriveAccount(seed)
    return store.transact((state) => ({
      entries: state.account(standIn.platform, account.id) === undefined ? [account] : [],
      result: account
    }))
  }

  const connect = Effect.fnUntraced(function* (seed: string) {
    const account = yield* register(seed)
    const fresh = yield* drawTokens(random)
    return yield* store.transact((_, now) => {
      const grant = tokens.issue(account, { now, fresh })
      return { entries: [grant], result: { account, grant } }
    })
  })

  const consent = Effect.fnUntraced(function* (seed: string, request: ConsentRequest) {
    const account = yield* register(seed)
    const code = yield* randomToken(random)
    codes.put(code, account, request, yield* Clock.currentTimeMillis)
    return code
  })

  return { connect, consent, routes: endpoints.map((each) => serveEndpoint(server, standIn, each)) }
}
